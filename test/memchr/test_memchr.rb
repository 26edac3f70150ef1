# frozen_string_literal: true
# License: Ruby's
#
# rb_w32_memchr: conformance under every compiler and optimisation, mutants of
# it, valgrind, a minute of fuzzing, the bounded proof, its object code.
#
# CC=x86_64-w64-mingw32ucrt-gcc RUNNER=wine test/memchr/test_memchr.rb does what
# can be done with that compiler alone.  FUZZ_SECONDS says how long to fuzz.

require "minitest/autorun"
require "digest"
require "fileutils"
require "json"
require "open3"
require "tmpdir"

class TestMemchr < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  HERE = File.join(ROOT, "test/memchr")
  SHIPPED = File.join(ROOT, "win32/memchr.c")
  UNROLLED = File.join(ROOT, "win32/memchr_unrolled.c")
  BUILD = File.join(ROOT, "build/test-memchr")
  WARNINGS = %w[-Wall -Wextra -Wconversion -Werror].freeze
  RUNNER = ENV.fetch("RUNNER", "").split.freeze
  COMPILERS = ENV.key?("CC") ? [ENV["CC"].split] : [%w[gcc], %w[clang]]
  NATIVE = !ENV.key?("CC")
  GCC = NATIVE ? %w[gcc] : ENV["CC"].split
  CONFORM = [File.join(HERE, "conform.c"), File.join(ROOT, "benchmark/c/candidates.c")].freeze

  FUZZER = %w[-O1 -g -fsanitize=fuzzer,undefined -fno-sanitize-recover=all].freeze

  # Wrong variants of win32/memchr.c, as edits of its text.
  MUTANTS = {
    "unaligned loads" =>
      [["(size_t)s & 15", "0"], ["*(const __m128i *)(p - head)", "_mm_loadu_si128((const __m128i *)(p - head))"],
       ["*(const __m128i *)(p + i)", "_mm_loadu_si128((const __m128i *)(p + i))"]],
    "e = s + n" => [["i < n; i", "p + i < p + n; i"], ["i < n ?", "p + i < p + n ?"]],
    "no head mask" => [["mask >>= head;", "p -= head; n += head;"]],
    "no tail bound" => [["i < n ? (void *)(p + i) : NULL", "(void *)(p + i)"]],
    "no tail bound in the first block" =>
      [["__builtin_ctz(mask);\n        return i < n ? (void *)(p + i) : NULL;", "__builtin_ctz(mask);\n        return (void *)(p + i);"]],
    "no tail bound in later blocks" =>
      [["__builtin_ctz(mask);\n            return i < n ? (void *)(p + i) : NULL;", "__builtin_ctz(mask);\n            return (void *)(p + i);"]],
    "signed compare of n" => [["i < n; i", "(ptrdiff_t)i < (ptrdiff_t)n; i"]],
    "signed compare of n at the end" => [["i < n ?", "(ptrdiff_t)i < (ptrdiff_t)n ?"]],
    "signed bytes" => [["_mm_set1_epi8((char)c)", "_mm_set1_epi8((char)(c > 127 ? 127 : c))"]],
    "last match instead of first" => [["__builtin_ctz(mask)", "(31 - __builtin_clz(mask))"]],
    "n = 0 reads" => [["if (n == 0) return NULL;", ""]],
    "n read as int" => [["if (n == 0) return NULL;", "n = (unsigned int)n; if (n == 0) return NULL;"]],
    "the block after the end is loaded" => [["i < n; i", "i <= n; i"]],
    "a block is skipped" => [["i += 16)", "i += 32)"]],
    "the second block is skipped" => [["i = 16 - head;", "i = 32 - head;"]],
    "the second block overlaps the first" => [["i = 16 - head;", "i = head ? 16 - head : 0;"], ["mask >>= head;", "mask &= 0xff; mask >>= head;"]],
    "only the first block of n bytes" => [["i < n; i", "i < n && n > 16; i"]],
    "one byte too many" => [["i < n ?", "i <= n ?"]],
    "one byte too few" => [["i < n ?", "i + 1 < n ?"]],
    "n is cut to 60000" => [["if (n == 0) return NULL;", "if (n == 0) return NULL; if (n > 60000) n = 60000;"]],
    "head mask one short" => [["mask >>= head;", "mask >>= head; mask &= 0x7fff >> head;"]],
  }.freeze

  # Right answers, from bytes that are on the same page but in no block of the
  # object: for the proof alone.
  OVERREADING_MUTANTS = {
    "another block of the page is read" => [["if (n == 0) return NULL;", "if (n == 0 || (*(const volatile char *)((size_t)s | 63), 0)) return NULL;"]],
  }.freeze

  HUGE_MUTANTS = { "offsets of 32 bits" => [["size_t i;", "int i;"]] }.freeze

  # Of win32/memchr_unrolled.c: what it has and the other has not.
  UNROLLED_MUTANTS = {
    "four blocks before an aligned line" => [["128 - ((size_t)s & 63)", "64"]],
    "the line after the end is loaded" => [["(n - stop - 1) / 64 + 1", "(n - stop) / 64 + 1"]],
    "the last line is not looked at" => [["(n - stop - 1) / 64 + 1", "(n - stop) / 64"]],
    "lines as if n were signed" => [["(n - stop - 1) / 64 + 1", "(size_t)((ptrdiff_t)(n - stop - 1) / 64 + 1)"]],
    "one block of four is not compared" => [["EQUAL(line + 48)", "EQUAL(line + 32)"]],
    "the match is taken to be in the next line" => [["i = line - p;", "i = line - p + 64;"]],
    "blocks end where lines began" => [["stop = n;\n        }", "}"]],
    "lines of 32 bits" => [["size_t stop = n < first ? n : first, lines;", "size_t stop = n < first ? n : first; unsigned int lines;"],
                           ["lines = (n - stop - 1) / 64 + 1", "lines = (unsigned int)((n - stop - 1) / 64 + 1)"]],
    "no tail bound, unrolled" => [["(size_t)i < n ? (void *)(p + i) : NULL", "(void *)(p + i)"]],
  }.freeze


  def sh(*cmd, timeout: 600, ok: true)
    out, status = Open3.capture2e("timeout", timeout.to_s, *cmd, chdir: ROOT)
    ok and assert status.success?, "#{cmd.join(" ")}\n#{status}\n#{out.scrub[-3000..] || out.scrub}"
    [out, status]
  end

  # once def test_…: passes without doing it again if it passed with the same
  # texts, compilers and settings.
  def self.once(test)
    work = instance_method(test)
    define_method(test) do
      files = Dir.glob("{win32,test/memchr,benchmark/c}/**/*.{c,h,rb}", base: ROOT).sort
      versions = COMPILERS.map { |cc| sh(*cc, "--version")[0] }
      key = Digest::SHA256.hexdigest([files.map { |f| File.read(File.join(ROOT, f)) }, versions, RUNNER,
                                      ENV.values_at("FUZZ_SECONDS", "PROOF_BLOCKS")].inspect)
      stamp = File.join(FileUtils.mkdir_p(BUILD)[0], "passed-#{test}")
      next pass if File.exist?(stamp) && File.read(stamp) == key

      work.bind_call(self)
      File.write(stamp, key)
    end
  end

  def build(name, cc, *flags)
    FileUtils.mkdir_p(BUILD)
    File.join(BUILD, "#{name}.exe").tap { |exe| sh(*cc, *flags, "-o", exe) }
  end

  def compilers_and_levels
    COMPILERS.product(%w[-O0 -O2 -O3])
  end

  # Every candidate, rb_w32_memchr among them, must fail the cases that the
  # table names for it, and no other.
  once def test_conformance
    compilers_and_levels.each do |cc, level|
      exe = build("conform-#{File.basename(cc[0])}#{level}", cc, level, "-fno-builtin", *WARNINGS, *CONFORM)
      out, = sh(*RUNNER, exe)
      assert_match(/^rb_w32_memchr: \d{8,} calls, conforms/, out)
      assert_match(/^unrolled: \d{8,} calls, conforms/, out)
      assert_match(/^sse2: C02: fault: /, out)
      assert_match(/^sse2: .* fails what the table says/, out)
    end
  end

  # The file of a mutant.
  def mutant(name)
    shipped = MUTANTS.merge(HUGE_MUTANTS, OVERREADING_MUTANTS)
    file, edits = shipped.key?(name) ? [SHIPPED, shipped[name]] : [UNROLLED, UNROLLED_MUTANTS.fetch(name)]
    text = edits.reduce(File.read(file)) do |source, (from, to)|
      assert_includes source, from, "mutant “#{name}”: #{file} no longer holds the text that it edits"
      source.gsub(from) { to }
    end
    FileUtils.mkdir_p(BUILD)
    File.join(BUILD, "#{name.gsub(/\W+/, "-")}.c").tap { |mutant| File.write(mutant, text) }
  end

  def test_microbench
    json = File.join(FileUtils.mkdir_p(BUILD)[0], "microbench.json")
    cc = NATIVE ? [] : ["--cc=#{ENV["CC"]}", *("--runner=#{RUNNER.join(" ")}" unless RUNNER.empty?)]
    out, = sh("ruby", "tool/microbench", "--quick", "--json", json, *cc)
    result = JSON.parse(File.read(json))
    assert_equal %w[memchr_long memchr_short strlen libc], result["tables"].map { |t| t["program"] }.uniq
    assert_match(/^An override of strlen would (not )?pay on this C/, out)
    rows = result["tables"].find { |t| t["table"] == "memchr, match last" }["rows"]
    best = ->(column) { rows.find { |row| row["n"] == 65536 }["cells"][column]["best"] }
    assert_operator best["rb_w32_memchr"], :>, 5 * best["bytes"]
    assert_equal (1..64).to_a, result["tables"].find { |t| t["table"] == "memchr, no match, unaligned" }["rows"].map { |row| row["n"] }
  end

  # A name with a backslash, as every path on Windows is one, is JSON in the results.
  if NATIVE
    def test_microbench_of_a_library
      Dir.mktmpdir do |dir|
        library = File.join(dir, 'a\\ucrt "1".so')
        FileUtils.cp(`gcc -print-file-name=libc.so.6`.chomp, library)
        json = File.join(dir, "figures.json")
        sh("ruby", "tool/microbench", "--quick", "--json", json, "--library", library, "libc")
        assert_equal [library], JSON.parse(File.read(json))["tables"][0]["rows"][0]["cells"].keys
      end
    end

    def test_microbench_refuses
      { %w[--libucrt /nowhere] => /--libucrt is for a compiler for Windows/, ["--cc="] => /invalid argument: --cc=/,
        %w[nothing] => /no program nothing/, %w[--json /nowhere/x.json] => /cannot be written/ }.each do |args, message|
        out, status = sh("ruby", "tool/microbench", "--quick", *args, ok: false)
        assert_equal 1, status.exitstatus, out
        assert_match(message, out)
      end
    end
  end

  # The texts that the patches carry.
  def test_source
    [[SHIPPED, 40], [UNROLLED, 60]].each do |file, lines|
      text = File.read(file)
      carried = text[%r{^/\* License: Ruby's \*/\n.*}m]
      assert carried, "#{file}: no License line"
      assert_operator carried.lines.size, :<=, lines, file
      refute_match(/\t| $/, text, file)
      assert_match(/^void \*\nrb_w32_memchr\(const void \*s, int c, size_t n\)\n\{$/, carried)
      assert_equal ["#include <emmintrin.h>", "#include <stddef.h>"], text.lines.map(&:chomp).grep(/^#include/)
      compilers_and_levels.each do |cc, level|
        sh(*cc, level, *WARNINGS, "-c", file, "-o", File.join(BUILD, "alone.o")) if FileUtils.mkdir_p(BUILD)
      end
    end
  end

  # No call, nothing on the stack, no register that Win64 wants saved, and no
  # more than 60 instructions of GCC's.
  def test_object_code
    [SHIPPED, UNROLLED].each do |file|
      COMPILERS.product(%w[-O2 -O3]).each do |cc, level|
        # clang 19 has not got the option for Linux any more
        has_abi = NATIVE && (!cc[0].end_with?("clang") || sh(*cc, "-mabi=ms", "-fsyntax-only", file, ok: false)[1].success?)
        (has_abi ? [[], %w[-mabi=ms]] : [[]]).each do |abi|
          what = "#{File.basename(file)} by #{cc[0]} #{level} #{abi.join}"
          code = disassemble(cc + [level, *abi], file)
          assert_empty code.grep(/\bcall|\b(push|pop)\b|%[re]?[sb]p\b/), what
          assert_empty code.grep(/%xmm([6-9]|1[0-5])\b/), what
          assert_operator code.size, :<=, 60, what if file == SHIPPED && cc[0].end_with?("gcc")
        end
      end
    end
  end

  def disassemble(cc, file)
    FileUtils.mkdir_p(BUILD)
    object = File.join(BUILD, "object.o")
    sh(*cc, "-c", file, "-o", object)
    objdump = cc[0].sub(/(gcc|clang)\z/, "").then { |prefix| "#{prefix}objdump" }
    text, = sh(objdump, "-d", "--no-show-raw-insn", object)
    body = text[/<rb_w32_memchr>:\n(.*)/m, 1]
    assert body, "no rb_w32_memchr in #{object}"
    # nop is padding, and so is what else stands after the last ret
    body.lines.map(&:strip).grep(/\A\h+:/).grep_v(/\t(data16 |cs )*nop|\txchg +%ax,%ax/)
  end

  # What needs this machine's own programs.
  if NATIVE
    once def test_every_mutant_is_killed
      [[MUTANTS, "MEMCHR_C", "rb_w32_memchr"], [UNROLLED_MUTANTS, "UNROLLED_C", "unrolled"]].each do |mutants, macro, candidate|
        mutants.each_key do |name|
          exe = build("mutant", GCC, "-O2", "-fno-builtin", "-D#{macro}=\"#{mutant(name)}\"", *CONFORM)
          out, status = sh(*RUNNER, exe, "-q", candidate, timeout: 60, ok: false)
          refute status.success?, "mutant “#{name}” survives:\n#{out}"
          assert_match(/^#{candidate}: \S+: (fault|wrong answer)/, out, "mutant “#{name}” died of something else")
        end
      end
    end

    def test_valgrind
      exe = build("conform-valgrind", GCC, "-O2", "-g", "-fno-builtin", *CONFORM)
      sh("valgrind", "--error-exitcode=1", "--quiet", exe, "-q", "rb_w32_memchr", "unrolled")
    end

    # 64-bit distances, and that the test can tell.
    once def test_huge
      build("conform-huge", GCC, "-O2", "-fno-builtin", *CONFORM).then { |exe| sh(exe, "-q", "-H", "rb_w32_memchr", "unrolled") }
      exe = build("mutant-huge", GCC, "-O2", "-fno-builtin", "-DMEMCHR_C=\"#{mutant("offsets of 32 bits")}\"", *CONFORM)
      out, status = sh(exe, "-q", "-H", "rb_w32_memchr", timeout: 120, ok: false)
      assert_match(/^rb_w32_memchr: huge: (fault|wrong answer)/, out)
      refute status.success?
    end

    # By hand, for as long as you like:
    # FUZZ_SECONDS=3600 ruby test/memchr/test_memchr.rb -n test_fuzz
    once def test_fuzz
      seconds = ENV.fetch("FUZZ_SECONDS", "60")
      corpus = FileUtils.mkdir_p(File.join(BUILD, "corpus"))[0]
      [SHIPPED, UNROLLED].each do |file|
        exe = build("fuzz", %w[clang], *FUZZER, File.join(HERE, "fuzz.c"), file)
        out, = sh(exe, "-max_total_time=#{seconds}", "-max_len=400", "-artifact_prefix=#{BUILD}/", corpus, timeout: seconds.to_i + 60)
        assert_match(/^Done \d{5,} runs/, out)
      end
    end

    once def test_fuzz_finds_mutants
      ["one byte too many", "the block after the end is loaded", "e = s + n"].each do |name|
        exe = build("fuzz-mutant", %w[clang], *FUZZER, File.join(HERE, "fuzz.c"), mutant(name))
        out, status = sh(exe, "-max_total_time=60", "-max_len=400", "-artifact_prefix=#{BUILD}/", timeout: 90, ok: false)
        refute status.success?, "mutant “#{name}” survives the fuzzer:\n#{out}"
        assert_match(/^rb_w32_memchr\(page end.*(fault|wrong answer)$|runtime error: /, out)
      end
    end

    # CBMC finds no c, n and object in up to PROOF_BLOCKS blocks for which the
    # result is wrong, or a block is read that the standard gives no right to.
    once def test_proof
      1.upto(Integer(ENV.fetch("PROOF_BLOCKS", "3"))) do |blocks|
        out, status = prove(SHIPPED, blocks)
        assert status.success?, out
        assert_match(/^VERIFICATION SUCCESSFUL/, out)
      end
    end

    once def test_proof_fails_for_mutants
      ["the block after the end is loaded", "no head mask", "n = 0 reads", "another block of the page is read"].each do |name|
        out, status = prove(mutant(name), 1)
        assert_equal 10, status.exitstatus, "mutant “#{name}” is proved:\n#{out}"
        assert_match(/^VERIFICATION FAILED/, out)
      end
    end

    # The proof stands on a model of SSE2: with it, too, the function conforms.
    def test_model
      exe = build("conform-model", GCC, "-O2", "-fno-builtin", "-I", File.join(HERE, "model"), *CONFORM)
      sh(exe, "-q", "rb_w32_memchr", "unrolled")
    end
  end

  # AddressSanitizer does not take what is read beside the object for an error of
  # the caller.
  def test_address_sanitizer
    FileUtils.mkdir_p(BUILD)
    program = File.join(BUILD, "asan.c")
    File.write(program, <<~C)
      #include <stdlib.h>
      void *rb_w32_memchr(const void *, int, size_t);
      int main(void) { char *p = malloc(1); int found; *p = 'a'; found = rb_w32_memchr(p, 'z', 1) != NULL; free(p); return found; }
    C
    attribute = /^NO_SANITIZE.*/
    COMPILERS.product([SHIPPED, UNROLLED]).each do |cc, file|
      sh(build("asan", cc, "-O1", "-fsanitize=address", program, file))
      bare = File.join(BUILD, "asan-bare.c")
      File.write(bare, File.read(file).sub(attribute) { "" })
      out, status = sh(build("asan", cc, "-O1", "-fsanitize=address", program, bare), ok: false)
      assert_match(/AddressSanitizer: heap-buffer-overflow/, out, "#{File.read(file)[attribute]} is not needed?")
      refute status.success?
    end
  end if NATIVE

  # With the host's CBMC where there is one (Debian 13 on), else the root's.
  def prove(file, blocks)
    path = file.delete_prefix("#{ROOT}/")
    cbmc = system("cbmc", "--version", out: File::NULL, err: File::NULL) ? [] : %w[tool/root run]
    sh(*cbmc, "cbmc", "-I", "test/memchr/model", "-DBLOCKS=#{blocks}", "-DMEMCHR_C=\"../../#{path}\"", "--pointer-overflow-check",
       "--unwinding-assertions", "--unwindset", "rb_w32_memchr.0:#{blocks + 1}", "test/memchr/prove.c", ok: false)
  end
end
