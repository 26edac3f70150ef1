# frozen_string_literal: true
# rb_w32_memchr by the target's compiler, and the one in the patched DLL.

require_relative "helper"

class TestWindowsMemchr < Minitest::Test
  # test/memchr/test_memchr.rb, by the target's compiler and under Wine.
  def test_conformance_and_mutants
    out, status = run_command(*Linesplit.in_root("ruby", Linesplit.path_in_root(File.join(Linesplit::ROOT, "test/memchr/test_memchr.rb")),
                                       env: { "CC" => "#{Windows::TRIPLET}-gcc", "RUNNER" => "wine" }))
    assert_equal 0, status, out
    assert_match(/^\d\d? runs, \d+ assertions, 0 failures, 0 errors/, out)
  end

  # The same program with the function that the patched DLL exports.
  def test_the_function_in_the_dll
    Windows.tmpdir do |dir|
      File.write(File.join(dir, "import.h"), "void *rb_w32_memchr(const void *, int, size_t);\n")
      exe = File.join(dir, "conform.exe")
      Windows.compile("gcc", "-O2", "-fno-builtin", %(-DMEMCHR_C="#{Linesplit.path_in_root(dir)}/import.h"), "-o", exe,
                      *%w[test/memchr/conform.c benchmark/c/candidates.c].map { |file| File.join(Linesplit::ROOT, file) },
                      Windows.import_library(Windows.patched))
      imported = Linesplit.capture!("objdump", "-p", exe)[/DLL Name: x64-ucrt-ruby\d+\.dll.*?\n\n/m]
      assert_match(/rb_w32_memchr$/, imported)
      out, status = run_command(*Linesplit.wine(exe, "rb_w32_memchr", env: { "WINEPATH" => Linesplit.wine_ruby_env(Windows.patched)["WINEPATH"] }))
      assert_equal 0, status, out
      assert_match(/^rb_w32_memchr: \d{8,} calls, conforms/, out)
    end
  end
end
