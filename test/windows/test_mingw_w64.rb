# frozen_string_literal: true
# The patch for mingw-w64: what is linked with its libucrt.a has a memchr of its
# own, a right one, and one that is no byte loop.

require_relative "helper"

class TestMingwW64 < Minitest::Test
  def lib
    out, status = tool("mingw-w64")
    assert_equal 0, status, out
    out.lines.last.chomp
  end

  # Whether the program imports memchr, and what the conformance test says of it.
  def conform(dir, *flags)
    exe = File.join(dir, "conform.exe")
    Windows.compile("gcc", "-O2", "-fno-builtin", "-o", exe, *%w[test/memchr/conform.c benchmark/c/candidates.c].map { |file| File.join(Linesplit::ROOT, file) }, *flags)
    out, status = run_command(*Linesplit.wine(exe, "-q", "libc"))
    assert_equal 0, status, out
    assert_match(/^libc: \d{5,} calls, conforms/, out)
    Linesplit.capture!("objdump", "-p", exe).match?(/\bmemchr$/)
  end

  def test_linked_in
    Windows.tmpdir do |dir|
      assert conform(dir), "the toolchain's own libucrt.a imports it"
      refute conform(dir, "-L#{Linesplit.path_in_root(lib)}"), "the patched one has it"
    end
  end

  def test_no_byte_loop
    Windows.tmpdir do |dir|
      json = File.join(dir, "figures.json")
      out, status = tool("microbench", "--quick", "--target", "x64-mingw-ucrt", "--libucrt", lib, "--json", json, "memchr_long")
      assert_equal 0, status, out
      rows = JSON.parse(File.read(json))["tables"].flat_map { |t| t["rows"] }.select { |row| row["n"] >= 1040 }
      rows.each { |row| assert_operator row["cells"]["libc"]["best"], :>, 2 * row["cells"]["bytes"]["best"], row["row"] }
    end
  end

  # It is not part of the series, and carries no more of mingw-w64 than a diff's
  # context.
  def test_apart_from_the_series
    refute(Linesplit.patches.any? { |p| p.file.include?("mingw-w64") })
    text = Dir.glob(File.join(Linesplit::ROOT, "patches/mingw-w64/*.patch")).map { |f| File.read(f) }.join
    assert_operator text.lines.grep(/^[ +-]/).size, :<, 60
  end
end
