# frozen_string_literal: true
# tool/pull-request: a branch and a text, or a message and an unchanged checkout.

require_relative "../helper"
require_relative "../../tool/lib/results"

class TestPullRequest < Minitest::Test
  SOURCE = Linesplit.base_source(base: Builds.base_version)
  ME = "Ada Example <ada@example.org>"

  # Upstream, and a clone of it: the files that the patches touch and identify
  # looks at.
  def setup
    @tmp = Dir.mktmpdir("pull request ")
    @origin = File.join(@tmp, "upstream/ruby/ruby")
    @tree = File.join(@tmp, "my ruby")
    small_tree(SOURCE, @origin)
    git(@origin, "init", "-q", "-b", "master")
    commit(@origin, "ruby")
    Linesplit.capture!("git", "clone", "-q", @origin, @tree)
    git(@tree, "config", "user.name", ME[/\A[^<]+/].strip)
    git(@tree, "config", "user.email", ME[/<(.*)>/, 1])
    @results = FileUtils.mkdir(File.join(@tmp, "results"))[0]
  end

  def teardown
    FileUtils.rm_rf(@tmp)
  end

  def git(dir, *args)
    env = { "GIT_AUTHOR_NAME" => "U", "GIT_AUTHOR_EMAIL" => "u@example.org", "GIT_COMMITTER_NAME" => "U", "GIT_COMMITTER_EMAIL" => "u@example.org" }
    Linesplit.capture!(env, "git", "-C", dir, *args)
  end

  def commit(dir, message)
    git(dir, "add", "-A", "-f")
    git(dir, "commit", "-q", "--allow-empty", "-m", message)
  end

  JOBS = { "byteindex_1kb_lines" => 1.013, "unshared_100" => 1.731, "unshared_136" => 0.917, "frozen_100" => 1.021 }.freeze

  # A result of tool/bench, with figures that nothing else has.
  def result(source = "#{Builds.base_version}.9", **more)
    jobs = JOBS.to_h { |job, ratio| [job, { "base" => [1234.5, 1217.25], "patched" => [1234.5 * ratio, 1217.25 * ratio] }] }
    File.write(File.join(@results, "benchmark-host-#{source}.json"), JSON.generate(
      { "base" => "ruby 0 base", "patched" => "ruby 0 patched", "source" => source, "compiler" => "cc 1", "rounds" => 2,
        "machine" => { "cpu" => "CPU", "cores" => 1, "os" => "OS" }, "time" => "2026-01-02T03:04:05Z", "jobs" => jobs }.merge(more)
    ))
  end

  # All that a run must leave alone, whatever it does.
  def state
    [git(@tree, "status", "--porcelain=2", "--branch"), git(@tree, "rev-parse", "HEAD"), git(@tree, "stash", "list"), git(@tree, "worktree", "list"),
     File.read(File.join(@tree, "string.c"))]
  end

  def pull_request(*args, env: {}, tree: @tree)
    run_command(env, File.join(Linesplit::ROOT, "tool/pull-request"), "--results", @results, *args, tree)
  end

  def refused(message, *args, **opts)
    before = [state, git(@tree, "for-each-ref")]
    out, status = pull_request(*args, **opts)
    assert_equal 1, status, out
    assert_match(message, out)
    refute_match(/\.rb:\d+:in|tool\/pull-request:\d+/, out, "a backtrace")
    assert_equal before, [state, git(@tree, "for-each-ref")], "the checkout is not what it was"
  end

  def text(*args, number: "22186", **opts)
    file = File.join(@tmp, "text.md")
    out, status = pull_request("--feature", number, "-o", file, *args, **opts)
    assert_equal 0, status, out
    [File.read(file), out]
  end

  def test_branch
    result
    before = state
    _, out = text
    assert_equal before, state
    head = git(@tree, "rev-parse", "origin/master").chomp
    log = git(@tree, "log", "--reverse", "--format=%an <%ae>|%cn <%ce>|%s|%P", "feature-22186").lines(chomp: true).map { |l| l.split("|") }.last(2)
    assert_equal [[ME, ME]] * 2, log.map { |l| l.first(2) }
    assert_equal head, log[0][3]
    mine = Linesplit.series(Builds.base_version).select { |p| Linesplit.feature(p) == "22186" }
    assert_equal Linesplit.touched(mine).sort, git(@tree, "diff", "--name-only", "origin/master", "feature-22186").lines(chomp: true).sort
    messages = git(@tree, "log", "-2", "--format=%B", "feature-22186")
    assert_equal 2, messages.scan(/^\[Feature #22186\]$/).size
    assert_match(/^\|unshared_100\|.*\n\|.*1\.73x\|$/, messages)
    assert_match(/^  git -C .*my.*ruby push fork feature-22186$/, out)
    assert_match(%r{^  gh pr create --repo ruby/ruby --base master --head YOU:feature-22186 --title .* --body-file}, out)
    assert_equal git(@origin, "for-each-ref"), git(@origin, "for-each-ref", "refs/heads/master"), "something was pushed"
    refused(/has a branch feature-22186 already/, "--feature", "22186")
    assert_match(/2 commits on origin\/master/, text("--branch", "mine")[1])
  end

  def test_own_fork
    result
    git(@tree, "remote", "add", "mine", "https://github.com/ada/ruby.git")
    out = text[1]
    assert_match(/push mine feature-22186$/, out)
    assert_match(/--head ada:feature-22186 /, out)
  end

  # Every number in the text that is followed by a unit, or has a fraction, comes
  # from the results.
  FIGURE = /(?<![\w.])\d+\.\d+(?![.\w])|\b\d+(?:\.\d+)? ?(?:%|x\b|GB\/s|ns\b|times\b|ms\b|k\b|M\b)/

  def test_figures_are_those_of_the_results
    result
    shown = JOBS.flat_map { |_, r| ["1.23", "1.2", format("%.2f", 1.2345 * r), format("%.2f", r)] } + [Builds.base_version, "#{(Linesplit::NOTICEABLE * 100).round} %"]
    body = text[0]
    assert_includes body, "1.73"
    assert_match(/^- unshared_136: 0\.92/, body, "what is slower is said")
    refute_match(/^- unshared_100/, body)
    extra = body.scan(FIGURE).map { |f| f.delete_suffix("k") } - shown
    assert_empty extra, "figures that are in no result"
    FileUtils.rm(Dir.glob("#{@results}/*"))
    %w[22186 22463].each do |number|
      body, = text("--draft", "--branch", "draft#{number}", number: number)
      assert_empty body.scan(FIGURE) - ["7.24"], "figures without results"
      assert_match(/Not measured yet: run `tool\/bench/, body)
    end
  end

  # Figures of patches that have changed since are not taken for those of these.
  def test_figures_of_an_earlier_series
    result("#{Builds.base_version}.9", "series" => Linesplit.series_digest(Builds.base_version)[0, 12])
    refute_match(/earlier state/, text[0])
    git(@tree, "branch", "-D", "feature-22186")
    result("#{Builds.base_version}.9", "series" => "0123456789ab")
    assert_match(/^\*\*Some of the figures below are of an earlier state of the patches: measure again\.\*\*$/, text[0])
  end

  def test_questions_are_answered
    result
    body, = text(number: "22463")
    ["Why not upstream mingw?", "missing/?", "Why SSE2, not SWAR?", "What gets slower?", "What is unaffected", "How to reproduce", "What was not measured"]
      .each { |question| assert_match(/^## .*#{Regexp.escape(question)}/, body) }
    %w[mswin aarch64 Extensions C++ vcruntime140 mingw-w64].each { |word| assert_includes body, word }
    refute_match(%r{/tmp|#{Regexp.escape(Linesplit::ROOT)}|#{Regexp.escape(Dir.home)}}, body, "a path of this machine")
  end

  def test_results_are_of_another_base
    refused(/no whole results of CRuby #{Regexp.escape(Builds.base_version)} in .*: run tool\/bench .*--draft/, "--feature", "22186")
    result("9.9.9")
    refused(/only of 9\.9\.9: run tool\/bench/, "--feature", "22186")
    result
    File.rename(*["", "-quick"].map { |s| File.join(@results, "benchmark-host-#{Builds.base_version}.9#{s}.json") })
    refused(/only of .*#{Regexp.escape(Builds.base_version)}\.9 \(quick or in part\)/, "--feature", "22186")
    FileUtils.rm(Dir.glob("#{@results}/*-quick.json"))
    body, = text("--draft")
    assert_match(/figures below are of another base .*: of CRuby/, body)
    refute_match(/compare-ruby/, git(@tree, "log", "-2", "--format=%B", "feature-22186"))
    File.write(File.join(@results, "half.json"), '{"jobs": {')
    refused(/half\.json is not whole/, "--feature", "22463")
  end

  def test_dirty
    result
    File.write(File.join(@tree, "string.c"), "/* mine */", mode: "a")
    refused(/has uncommitted changes.* M string\.c/m)
  end

  def test_detached
    result
    git(@tree, "checkout", "-q", "--detach")
    refused(/HEAD is detached/)
  end

  def test_am_under_way
    result
    FileUtils.mkdir_p(File.join(@tree, ".git/rebase-apply"))
    refused(/under way/)
  end

  # Where tool/bench has built the commit, the branch's tests run on it.
  def test_tests_are_run
    result
    assert_match(/^tests: not run, for want of a build of this commit \(.*\); tool\/bench makes one$/, text("--branch", "first")[1])
    version, = Linesplit.identify(@tree)
    work = File.join(@tmp, "build/host/#{version}-#{git(@tree, "rev-parse", "--short=10", "HEAD").chomp}/patched")
    FileUtils.mkdir_p(work)
    %w[obj src].each { |link| File.symlink(File.realpath(File.join(Builds.patched, link)), File.join(work, link)) }
    body, out = text(env: { "LINESPLIT_BUILD" => File.join(@tmp, "build") })
    assert_match(/^tests: \d{3} tests, \d{4,} assertions, 0 failures, 0 errors, /, out)
    assert_match(/tests that the branch touches, on this machine: \d{3} tests, /, body)
  end

  def test_upstream_moved
    result
    commit(@origin, "news")
    refused(/origin\/master has moved: \h{10} was fetched, \h{10} is there now; git -C .* fetch origin first/)
    git(@tree, "fetch", "-q", "origin")
    # the local branch may be behind: the new one is made from what was fetched
    assert_match(/2 commits/, text[1])
    assert_equal git(@origin, "rev-parse", "master"), git(@tree, "rev-parse", "feature-22186~2")
  end

  def test_upstream_out_of_reach
    result
    File.rename(@origin, "#{@origin}.away")
    assert_match(/origin could not be asked whether it has moved/, text[1])
  end

  def test_remotes
    result
    git(@tree, "remote", "rename", "origin", "ruby")
    assert_match(/2 commits on ruby\/master/, text[1])
    refused(/has no ruby\/none: git -C .* fetch ruby/, "--upstream", "ruby/none")
    git(@tree, "remote", "remove", "ruby")
    refused(/no remote is ruby\/ruby \(there is none\)/)
  end

  def test_nobody
    result
    git(@tree, "config", "--unset", "user.name")
    git(@tree, "config", "--unset", "user.email")
    git(@tree, "config", "user.useConfigOnly", "true")
    refused(/git does not know who you are/, env: { "HOME" => @tmp, "XDG_CONFIG_HOME" => @tmp, "GIT_CONFIG_NOSYSTEM" => "1", "EMAIL" => nil })
  end

  # gh is for the user to run: without it there is another way, with it there is not.
  def test_gh
    result
    bin = FileUtils.mkdir(File.join(@tmp, "bin"))[0]
    (%w[git ruby timeout env sh].map { |c| Linesplit.capture!("which", c).chomp }).each { |c| File.symlink(c, File.join(bin, File.basename(c))) }
    before = state
    assert_match(%r{^  gh is not installed here; the page https://github\.com/ruby/ruby/compare/}, text(env: { "PATH" => bin })[1])
    assert_equal before, state
    File.write(File.join(bin, "gh"), "#!#{File.join(bin, "sh")}\necho \"gh $*\" >> '#{@tmp}/gh.log'\n", perm: 0o755)
    refute_match(/not installed/, text("--branch", "second", env: { "PATH" => bin })[1])
    assert_equal "gh --version\n", File.read(File.join(@tmp, "gh.log")), "gh was asked for more than its version"
  end

  def test_upstream_has_it
    result
    mine = Linesplit.series(Builds.base_version).select { |p| Linesplit.feature(p) == "22186" }
    Linesplit.series(Builds.base_version).each { |p| assert_nil Linesplit.apply_in(@origin, p) if mine.include?(p) }
    commit(@origin, "str_subseq: taken\n\n[Feature #22186]")
    git(@tree, "fetch", "-q", "origin")
    refused(/upstream has the change of Feature #22186 already: str_subseq: taken/, "--feature", "22186")
    # without --feature it is only told, and the other branch is made
    out, status = pull_request
    assert_equal 0, status, out
    assert_match(/#22186 already.*branch feature-22463: 2 commits/m, out)
  end

  # In a copy of the project, patches that CRuby's CI would not take.
  { "trailing space" => [/^\+#include <emmintrin\.h>$/, "\\0 ", /git diff --check:.*trailing whitespace/m],
    "tab" => [/^\+    const char \*p = s;$/, "+\tconst char *p = s;", /no CR, no tab indentation in C/],
    "mode" => [/^index \h+\.\.\h+ 100644\n--- a\/win32\/win32\.c/, "old mode 100644\nnew mode 100755\n\\0".sub(" 100644\\n", ""), /file modes/],
    "subject" => [/^Subject: .*/, "\\0, which is a very long subject that no one wants to read to its end", /subjects short/] }.each do |what, (from, to, message)|
    define_method("test_ci_would_complain_of_#{what.tr(" ", "_")}") do
      result
      copy = FileUtils.mkdir(File.join(@tmp, "a copy"))[0]
      FileUtils.cp_r(Dir.glob(File.join(Linesplit::ROOT, "{patches,tool,benchmark}")), copy)
      patch = File.join(copy, "patches", Linesplit.patches.first.file)
      text = File.read(patch)
      assert_match(from, text)
      File.write(patch, text.sub(from, to))
      before = [state, git(@tree, "for-each-ref")]
      out, status = run_command({ "LINESPLIT_BUILD" => Linesplit.build_dir }, File.join(copy, "tool/pull-request"), "--results", @results, "--feature", "22463", @tree)
      assert_equal 1, status, out
      assert_match(/was not changed, for CRuby's CI would complain/, out)
      assert_match(message, out)
      assert_equal before, [state, git(@tree, "for-each-ref")]
    end
  end

  def test_wrong_arguments
    result
    refused(/no feature 1; the series has 22463, 22186/, "--feature", "1")
    refused(/say which --feature/, "--branch", "x")
    refused(/bad name is no name for a branch/, "--feature", "22186", "--branch", "bad name")
    refused(/invalid option: --nonsense/, "--nonsense")
    assert_match(/give one git checkout/, tool("pull-request")[0])
    assert_match(/is not a git checkout/, tool("pull-request", SOURCE)[0])
    assert_match(/not a CRuby source tree/, tool("pull-request", @tmp)[0])
  end
end
