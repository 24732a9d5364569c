class Matcha < Formula
  desc "Exact subgraph matching: counts and matches of patterns in large graphs"
  url "@TREE_URL@"
  version "@VERSION@"
  sha256 "@TREE_SHA256@"
  license "Apache-2.0"

  depends_on arch: :x86_64
  depends_on :linux

  def install
    prefix.install "bin", "include", "lib", "share"
  end

  test do
    (testpath/"graph.txt").write "0 1\n1 2\n2 0\n"
    assert_equal "1", shell_output("#{bin}/matcha run --quiet --pattern triangle graph.txt").strip
  end
end
