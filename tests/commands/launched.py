"""Start commands in several processes, as `torchrun` does, and at once.

Reads a line of JSON for each run: its folder, its arguments, how many processes. Each
process is a fork of this one, which has imported everything. Writes a line when all
have ended: their exit codes, what they printed, and their errors.
"""

import json
import os
import socket
import sys
import tempfile

import torch
import torch._dynamo  # an optimizer loads it, which takes longer than some steps

from transformer.commands import main, running  # noqa: F401, imported once for all


def free_port():
    """Return a port at which the processes can meet."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def start(arguments, variables, out, errors):
    """Run a command in a fork; return its process id."""
    child = os.fork()
    if not child:
        code = 1
        try:
            os.dup2(out, 1)
            os.dup2(errors, 2)
            os.environ.update(variables)
            code = main(arguments)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return child


def run(folder, arguments, processes):
    """Run a command in so many processes; return exit codes, output and errors."""
    os.chdir(folder)
    size, port = str(processes), str(free_port())
    shared = {"WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size}
    shared |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    with tempfile.TemporaryFile("a+") as out, tempfile.TemporaryFile("a+") as errors:
        files = out.fileno(), errors.fileno()
        children = [
            start(arguments, shared | {"RANK": rank, "LOCAL_RANK": rank}, *files)
            for rank in map(str, range(processes))
        ]
        codes = [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]
        for file in (out, errors):
            file.seek(0)
        return codes, out.read(), errors.read()


if __name__ == "__main__":
    torch.set_num_threads(1)
    for line in sys.stdin:
        print(json.dumps(run(**json.loads(line))), flush=True)
