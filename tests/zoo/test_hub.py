"""Loading by name checks each file first; a hub on this machine stands in."""

import hashlib
import json
import logging
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import huggingface_hub
import pytest
import torch
from safetensors.torch import save
from transformers import GPT2Config, GPT2LMHeadModel

from bookkit.checking.facts import facts
from transformer.zoo import CONFIGS, gpt2, hub, load

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONFIG = gpt2.preset(
    vocab_size=7, max_len=5, num_decoder_layers=1, d_model=6, d_ff=11, num_heads=2
)


class Handler(BaseHTTPRequestHandler):
    """Serve files as the hub does: at a revision, with checksum and commit."""

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.wfile.write(self.answer())

    def answer(self):
        _, _, _, _, revision, file = self.path.split("/")
        content, etag = self.server.files.get(file, (b"", None))
        self.server.asked.append((self.command, revision, file))
        self.send_response(200 if etag else 404)
        if etag:
            self.send_header("ETag", f'"{etag}"')
            self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return content

    def log_message(self, *args):
        pass


def sha256(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def tensors():
    """The tensors of a small reference, without the tied duplicate."""
    sizes = {"n_positions": 5, "n_embd": 6, "n_layer": 1, "n_head": 2, "n_inner": 11}
    ids = {"bos_token_id": 1, "eos_token_id": 1}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=7, **sizes, **ids))
    return dict(model.transformer.state_dict())


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A hub without any files yet, and an empty cache."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.files, server.asked = {}, []
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}
    )
    thread.start()
    constants = huggingface_hub.constants
    address = f"http://127.0.0.1:{server.server_port}"
    template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def publish(server, monkeypatch):
    """Put files on the hub, and their address under the name of a preset."""

    def put(files, **address):
        for name, content in files.items():
            server.files[name] = content, sha256(content)
        found = hub.Address(repository="someone/tiny", **address)
        monkeypatch.setitem(hub.ADDRESSES, "tiny", found)
        monkeypatch.setitem(gpt2.CONFIGS, "tiny", CONFIG)
        monkeypatch.setitem(CONFIGS, "tiny", CONFIG)

    return put


def flip_a_bit(content):
    return content[:-1] + bytes([content[-1] ^ 1])


def test_a_file_is_loaded_by_the_checksum_that_the_hub_publishes(
    publish, tensors, server
):
    publish({hub.FILE: save(tensors)})
    model = load("tiny")
    assert torch.equal(model.decoder.norm.weight, tensors["ln_f.weight"])
    # asked for by name, then fetched at the commit that had the checksum
    assert server.asked[0] == ("HEAD", "main", hub.FILE)
    assert server.asked[-1] == ("GET", COMMIT, hub.FILE)


def test_a_revision_is_asked_for_its_checksum(publish, tensors, server):
    publish({hub.FILE: save(tensors)}, revision="v1")
    load("tiny")
    assert server.asked[0] == ("HEAD", "v1", hub.FILE)


def test_a_pinned_file_is_loaded_at_its_revision_and_then_kept(
    publish, tensors, server
):
    content = save(tensors)
    publish({hub.FILE: content}, revision=COMMIT, checksum=sha256(content))
    load("tiny")
    assert {revision for _, revision, _ in server.asked} == {COMMIT}
    server.asked.clear()
    load("tiny")
    assert server.asked == []


@pytest.mark.parametrize("pinned", [True, False])
def test_a_flipped_bit_is_refused_before_any_tensor_is_used(
    pinned, publish, tensors, server, monkeypatch, refuses
):
    content = save(tensors)
    address = {"revision": COMMIT, "checksum": sha256(content)} if pinned else {}
    publish({hub.FILE: content}, **address)
    server.files[hub.FILE] = flip_a_bit(content), sha256(content)
    monkeypatch.setattr("safetensors.torch.load_file", None)  # never called
    refuses(
        lambda: load("tiny"),
        ValueError,
        f"model.safetensors.*got {sha256(flip_a_bit(content))}.*delete",
    )


@facts("digits", [0, 1, 40, 63])
def test_a_checksum_that_was_cut_is_refused(digits, tensors, tmp_path, refuses):
    path = tmp_path / hub.FILE
    path.write_bytes(save(tensors))
    whole = sha256(path.read_bytes())
    hub.read_verified(path, whole.upper())
    cut = whole[:digits]
    refuses(
        lambda: hub.read_verified(path, cut),
        ValueError,
        f"model.safetensors.*got {whole}",
    )


def test_tensors_in_pieces_are_put_together(publish, tensors):
    names = sorted(tensors)
    pieces = {"one.safetensors": names[::2], "two.safetensors": names[1::2]}
    places = {name: piece for piece, held in pieces.items() for name in held}
    files = {
        piece: save({name: tensors[name] for name in held})
        for piece, held in pieces.items()
    }
    index = {hub.INDEX: json.dumps({"weight_map": places}).encode()}
    publish(files | index, in_pieces=True)
    assert torch.equal(load("tiny").decoder.norm.bias, tensors["ln_f.bias"])


@facts(
    "place", ["../one.safetensors", "/one.safetensors", "one.bin", "a/b.safetensors", 3]
)
def test_pieces_elsewhere_or_of_another_kind_are_never_fetched(
    place, publish, server, refuses
):
    index = json.dumps({"weight_map": {"wte.weight": place}}).encode()
    publish({hub.INDEX: index}, in_pieces=True)
    refuses(
        lambda: load("tiny"),
        ValueError,
        "model.safetensors.index.json must name files of safetensors beside",
    )
    assert {file for _, _, file in server.asked} == {hub.INDEX}


@facts("index", ["{", "[]", "{}", '{"weight_map": 1}', "[" * 99_999])
def test_an_index_that_is_none_is_refused(index, refuses):
    refuses(
        lambda: hub.read_pieces(index),
        ValueError,
        "model.safetensors.index.json must map each tensor to its",
    )


def test_a_pickle_with_the_right_checksum_is_refused_and_not_run(
    publish, tmp_path, refuses, malicious_pickle
):
    content, trace = malicious_pickle
    publish({hub.FILE: content})
    refuses(lambda: load("tiny"), ValueError, "model.safetensors must be a file of saf")
    assert not trace.exists()


def test_a_missing_tensor_is_named(publish, tensors, refuses):
    del tensors["ln_f.bias"]
    publish({hub.FILE: save(tensors)})
    refuses(
        lambda: load("tiny"),
        ValueError,
        r"the tensors must (?s:.*)missing \(1\): ln_f.bias\nnothing was",
    )


def test_a_file_without_a_published_checksum_is_refused(
    publish, tensors, server, refuses
):
    publish({hub.FILE: save(tensors)})
    server.files[hub.FILE] = save(tensors), "d0a11c4b"
    refuses(
        lambda: load("tiny"),
        ValueError,
        r"the hub must publish a SHA-256 checksum of model.safetensors, got 'd0a11c4b'",
    )


@facts(
    "function, name, error",
    [
        ("hf_hub_download", "gpt2", huggingface_hub.errors.LocalEntryNotFoundError),
        ("get_hf_file_metadata", "gpt2-xl", type("TransportError", (Exception,), {})),
        ("get_hf_file_metadata", "gpt2-xl", ConnectionError),
    ],
)
def test_a_hub_out_of_reach_is_said(function, name, error, monkeypatch, refuses):
    def fail(*args, **options):
        raise error("no network\nCheck it.")

    monkeypatch.setattr(huggingface_hub, function, fail)
    message = (
        f"the hub must be within reach for openai-community/{name}, got 'no network'; "
    )
    refuses(lambda: load(name), ConnectionError, message)


def test_a_long_reason_is_cut_between_two_words(monkeypatch, refuses):
    def fail(*args, **options):
        raise ConnectionError("unreachable " * 40)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fail)
    message = r".*, got '(unreachable ){16}\[\.\.\.\]'; connect, and load again\.$"
    refuses(lambda: load("gpt2"), ConnectionError, message)


def test_another_fault_of_the_hub_is_left_as_it_is(monkeypatch):
    def fail(*args, **options):
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fail)
    with pytest.raises(ZeroDivisionError, match="a fault"):
        load("gpt2")


def test_an_unknown_name_is_refused_with_the_known_ones(refuses):
    message = "name.*got 'gpt5'"
    refuses(lambda: load("gpt5"), ValueError, message)


REFUSED_OPTIONS = {
    "tiny": ("head", "the options of tiny.*got head.*leave out"),
    "bert-base-uncased": ("heads", "the options of bert-base-uncased.*got heads"),
    "gpt2": ("config", "the options of gpt2.*got config"),
}


@facts("name", REFUSED_OPTIONS)
def test_an_option_that_the_family_does_not_take_is_refused_before_any_download(
    name, publish, tensors, server, refuses
):
    publish({hub.FILE: save(tensors)})
    option, message = REFUSED_OPTIONS[name]
    refuses(lambda: load(name, **{option: "pooler"}), TypeError, message)
    assert server.asked == []


@facts("package", ["huggingface_hub", "safetensors", "safetensors.torch"])
def test_a_package_that_is_not_installed_is_named(
    package, publish, tensors, monkeypatch, refuses
):
    publish({hub.FILE: save(tensors)})
    monkeypatch.setitem(sys.modules, package, None)
    name = package.partition(".")[0]
    message = f"loading by name needs {name}, which is not installed; run: "
    message += r'pip install "tested-transformer\[hub\]"$'
    refuses(lambda: load("tiny"), ImportError, message)


def test_importing_the_zoo_needs_none_of_them():
    code = (
        "import sys, transformer.zoo; print(sorted("
        "{'transformers', 'huggingface_hub', 'safetensors'} & set(sys.modules)))"
    )
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_tries_in_vain_are_not_told_beside_the_sentence(monkeypatch, caplog):
    library = logging.getLogger("huggingface_hub")
    monkeypatch.setattr(library, "propagate", True)
    monkeypatch.setattr(huggingface_hub.utils._http.time, "sleep", lambda seconds: None)

    def fail(repository, file, revision):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            place = unused.getsockname()  # where nobody listens
            url = f"http://{place[0]}:{place[1]}/{file}"
            return huggingface_hub.utils.http_backoff("GET", url)

    with pytest.raises(Exception, match=r".") as untold:
        fail("gpt2", "file", "main")
    assert "Retrying" in caplog.text
    caplog.clear()
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fail)
    with pytest.raises(ConnectionError, match="the hub must be within reach for"):
        load("gpt2")
    assert caplog.text == ""
    assert untold.type is not ConnectionError
    tries = logging.getLogger("huggingface_hub.utils._http")
    assert tries.getEffectiveLevel() == library.getEffectiveLevel()


def test_each_address_is_of_a_preset_and_pins_what_it_can():
    for name, address in hub.ADDRESSES.items():
        assert name in CONFIGS
        pinned = address.revision != "main"
        assert len(address.revision) == 40 or not pinned
        assert address.checksum is None or (pinned and len(address.checksum) == 64)
