"""Imports what the demo installed for debian12, prints the versions, and lets some of it work."""
import ctypes
import importlib.util
import pathlib
import warnings
from importlib.metadata import version

import anyio
import charset_normalizer
import docopt
import markupsafe
import numpy
import nvidia
import requests
import socks
import tqdm

assert anyio and socks and tqdm
names = ["anyio", "certifi", "charset-normalizer", "docopt", "idna", "markupsafe", "numpy", "nvidia-cuda-runtime",
         "nvidia-nvtx", "PySocks", "requests", "tqdm", "typing-extensions", "urllib3"]
has_kernels = importlib.util.find_spec("cuda_kernels") is not None
print(", ".join(f"{name} {version(name)}" for name in names + ["cuda-kernels"] * has_kernels))

print("requests makes:", requests.Request("GET", "https://example.org/", params={"q": "a b"}).prepare().url)
print("markupsafe escapes:", markupsafe.escape("<b>"), "in C:", markupsafe._escape_inner.__module__)
print("charset-normalizer finds:", charset_normalizer.from_bytes("où êtes-vous, mes élèves ?".encode()).best().encoding)
print("docopt reads:", docopt.docopt("usage: demo --gpus=N", ["--gpus=8"]))
print("numpy adds:", numpy.arange(10).sum())

runtime, = pathlib.Path(list(nvidia.__path__)[0]).glob("cu13/lib/libcudart.so.*")
number = ctypes.c_int()
assert ctypes.CDLL(str(runtime)).cudaRuntimeGetVersion(ctypes.byref(number)) == 0
print(f"{runtime.name} says: CUDA {number.value // 1000}.{number.value % 1000 // 10}")

if has_kernels:
    import cuda_kernels

    for library in sorted(pathlib.Path(cuda_kernels.__file__).parent.rglob("*.so")):
        ctypes.CDLL(str(library))
        print("loaded:", library.relative_to(library.parents[2]))
    print("cuda-kernels tries a GPU first; where there is none, it says so and takes its CPU path:", flush=True)
    with warnings.catch_warnings(record=True):
        print("cuda-kernels sums:", cuda_kernels.reduction_sum(numpy.ones(1000, dtype=numpy.float32)))
