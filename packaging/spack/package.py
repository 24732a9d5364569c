from spack.package import *


class Matcha(CMakePackage):
    """Exact subgraph matching: counts and matches of patterns in graphs of millions of edges."""

    url = "@URL@"
    license("Apache-2.0")
    version("@VERSION@", sha256="@SHA256@")

    variant("python", default=True, description="The package of Python, which looks for the library in its prefix")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("gzip", type="build")
    depends_on("llvm@19:22")
    depends_on("antlr4-cpp-runtime@4.9.3")
    depends_on("intel-oneapi-tbb@2021:")
    depends_on("fmt@9:")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json@3.11:")
    depends_on("nauty@2.7:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("xxhash")
    depends_on("bzip2")
    depends_on("xz")
    depends_on("expat")
    depends_on("nettle")
    depends_on("libarchive")
    depends_on("python@3.9:", type="run", when="+python")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("MATCHA_TESTS", False),
            self.define("MATCHA_BENCH", False),
            self.define("MATCHA_LLVM", self.spec["llvm"].version.up_to(1)),
            self.define("MATCHA_LLVM_SHARED", self.spec.satisfies("^llvm+llvm_dylib")),
        ]
