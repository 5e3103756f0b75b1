"""Start commands in several processes, as `torchrun` does, and at once.

Reads a line of JSON for each run: its folder, its arguments, how many processes. Each
process is a fork of this one, which has imported everything. Writes a line when all
have ended: their exit codes, what they printed, and their errors.
"""

import json
import os
import sys
import tempfile

import torch
import torch._dynamo  # an optimizer loads it, which takes longer than some steps
import torch.distributed.checkpoint.state_dict  # and a shared training these
import torch.distributed.fsdp
from torch.distributed import TCPStore

import transformer.commands.train  # noqa: F401, once for all
from transformer.commands import main


def open_store(variables, told):
    """Open where the processes meet, at a port that is free, and tell which it is.

    As `torchrun` does, so that no process opens it anew: a port that was free a moment
    ago may be taken.
    """
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    variables["MASTER_PORT"] = str(store.port)
    os.write(told, variables["MASTER_PORT"].encode())
    return store


def start(arguments, variables, out, errors, told=None):
    """Run a command in a fork; return its process id."""
    child = os.fork()
    if not child:
        code = 1
        try:
            os.dup2(out, 1)
            os.dup2(errors, 2)
            store = None if told is None else open_store(variables, told)  # noqa: F841
            os.environ.update(variables)
            code = main(arguments)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return child


def ranked(rank):
    """Return the variables that say which process this is."""
    return {"RANK": str(rank), "LOCAL_RANK": str(rank)}


def run(folder, arguments, processes):
    """Run a command in so many processes; return exit codes, output and errors."""
    os.chdir(folder)
    size = str(processes)
    shared = {"WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size}
    shared |= {"MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_USE_AGENT_STORE": "True"}
    shared |= {"TORCHELASTIC_RESTART_COUNT": "0"}
    with tempfile.TemporaryFile("a+") as out, tempfile.TemporaryFile("a+") as errors:
        files = out.fileno(), errors.fileno()
        reads, writes = os.pipe()
        children = [start(arguments, shared | ranked(0), *files, writes)]
        os.close(writes)
        shared["MASTER_PORT"] = os.read(reads, 9).decode()
        os.close(reads)
        for rank in range(1, processes):
            children.append(start(arguments, shared | ranked(rank), *files))
        codes = [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children]
        for file in (out, errors):
            file.seek(0)
        return codes, out.read(), errors.read()


if __name__ == "__main__":
    torch.set_num_threads(1)
    for line in sys.stdin:
        print(json.dumps(run(**json.loads(line))), flush=True)
