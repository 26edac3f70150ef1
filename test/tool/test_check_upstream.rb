# frozen_string_literal: true
# tool/check-upstream: which patches apply, which it refreshes, which are taken.

require_relative "../helper"

class TestCheckUpstream < Minitest::Test
  include GitTree

  SOURCE = Linesplit.base_source(base: Builds.base_version)
  FIRST = Linesplit.series(Builds.base_version).first.file

  # A checkout of the files that the patches touch.
  def setup
    @tmp = Dir.mktmpdir("upstream test ")
    @tree = File.join(@tmp, "my ruby")
    small_tree(SOURCE, @tree)
    git("init", "-q", "-b", "master")
    commit("ruby")
  end

  def teardown
    FileUtils.rm_rf(@tmp)
  end

  def commit(message)
    git("add", "-A", "-f")
    git("commit", "-q", "-m", message)
  end

  def edit(file, from, to, message: "upstream moves")
    path = File.join(@tree, file)
    text = File.read(path)
    assert_includes text, from
    File.write(path, text.sub(from) { to })
    commit(message)
  end

  # { patch => state } of a run, which must leave the checkout alone.
  def check(*args, status:, tool: File.join(Linesplit::ROOT, "tool/check-upstream"))
    before = [git("status", "--porcelain"), git("for-each-ref"), git("rev-parse", "HEAD")]
    out, code = run_command({ "LINESPLIT_BUILD" => Linesplit.build_dir }, tool, *args, @tree)
    assert_equal status, code, out
    assert_equal before, [git("status", "--porcelain"), git("for-each-ref"), git("rev-parse", "HEAD")]
    [out.scan(/^  (\w+) +(\S+\.patch)/).to_h { |state, file| [file, state] }, out]
  end

  def expected(state, files)
    wanted = Linesplit.patches.select { |p| p.bases.include?(Builds.base_version) }
    wanted.to_h { |p| [p.file, files.include?(p.file) ? state : "applies"] }
  end

  def test_all_apply
    states, out = check(status: 0)
    assert_equal expected("applies", []), states
    assert_match(/base #{Regexp.escape(Builds.base_version)}, \h+ ruby$/, out)
    File.write(File.join(@tree, "string.c"), "dirty")   # HEAD counts
    git("checkout", "-q", "--detach")
    assert_equal states, check(status: 0)[0]
  end

  def test_taken
    patch = Linesplit.patches.first
    assert_nil Linesplit.apply_in(@tree, patch)
    commit("win32: taken [Feature #22463]")
    assert_equal expected("taken", [FIRST]), check(status: 0)[0]
  end

  # A line of the hunk's context has changed: no fuzz, but a merge is clean.
  MOVED = ["include/ruby/win32.h", "#ifdef RUBY_EXPORT\n#define strerror(e)", "#if defined(RUBY_EXPORT)\n#define strerror(e)"].freeze

  def test_refreshed
    edit(*MOVED)
    states, out = check(status: 2)
    assert_equal expected("refreshed", [FIRST]), states
    made = File.join(Linesplit::ROOT, out[/#{Regexp.escape(FIRST)}  \((.*)\)/, 1])
    assert_nil Linesplit.apply_in(@tree, Struct.new(:path).new(made))
    assert_equal File.read(Linesplit.patches.first.path)[/^From: .*?^---/m], File.read(made)[/^From: .*?^---/m]
  ensure
    FileUtils.rm_rf(File.dirname(made)) if made
  end

  def copy_of_project
    copy = File.join(@tmp, "a copy")
    FileUtils.mkdir(copy)
    FileUtils.cp_r(Dir.glob(File.join(Linesplit::ROOT, "{patches,tool}")), copy)
    copy
  end

  # For this base alone, since the others have not moved.
  def test_update
    copy = copy_of_project
    edit(*MOVED)
    tool = File.join(copy, "tool/check-upstream")
    check("--update", status: 2, tool: tool)
    mine = FIRST.sub("-", "-#{Builds.base_version}-")
    assert_path_exists File.join(copy, "patches", mine)
    lines = File.readlines(File.join(copy, "patches/series")).map(&:split)
    assert_equal [Linesplit::BASES - [Builds.base_version], [Builds.base_version]],
                 [FIRST, mine].map { |f| lines.find { |l| l.first == f }.drop(1) }
    states, = check(status: 0, tool: tool)
    assert_equal "applies", states[mine]
    refute_includes states.keys, FIRST
    assert_equal File.read(Linesplit.patches.first.path), File.read(File.join(copy, "patches", FIRST))
  end

  def test_conflict
    edit("include/ruby/win32.h", "#define strerror(e) rb_w32_strerror(e)\n#endif\n",
         "#define strerror(e) rb_w32_strerror(e)\n#define memchr rb_w32_memchr\n#endif\n", message: "win32: something else [Feature #22463]")
    states, out = check(status: 3)
    # the optional patch stands on the first one
    assert_equal "conflict", states[FIRST]
    assert_equal "applies", states[Linesplit.series(Builds.base_version)[1].file]
    assert_match(/include\/ruby\/win32\.h hunk 1; upstream has \h+ win32: something else/, out)
  end

  # A change of upstream's own in place of ours, as on 4.1.
  def test_taken_in_a_form_of_its_own
    path = File.join(@tree, "include/ruby/version.h")
    File.write(path, File.read(path).sub(/(API_VERSION_MAJOR) \d+/, "\\1 4").sub(/(API_VERSION_MINOR) \d+/, "\\1 1"))
    edit("string.c", "str2 = str_alloc_heap(rb_cString);\n    if (str_embed_capa", "str2 = str_alloc_embed(rb_cString, len + termlen);\n    if (str_embed_capa",
         message: "str_subseq: copy more [Feature #22186]")
    states, out = check(status: 3)      # 0102 finds no such string.c
    taken = Linesplit.series("4.0") - Linesplit.series("4.1")
    assert_equal ["taken"], taken.map { |p| states[p.file] }.uniq
    assert_match(/#{taken.first.file}  \(\h+ str_subseq: copy more/, out)
  end

  def test_refused
    assert_match(/give one CRuby tree/, tool("check-upstream")[0])
    out, status = tool("check-upstream", @tmp)
    assert_equal 1, status
    assert_match(/not a CRuby source tree/, out)
    assert_match(/invalid option: --nonsense/, tool("check-upstream", "--nonsense", @tree)[0])
  end
end
