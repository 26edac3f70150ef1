# frozen_string_literal: true
# tool/apply on git checkouts and release trees: all or nothing.

require_relative "../helper"

class TestApply < Minitest::Test
  include GitTree

  SOURCE = Linesplit.base_source(base: Builds.base_version)

  # A tree of the files that the patches touch and identify looks at.
  def setup
    @tmp = Dir.mktmpdir("apply test ")
    @tree = File.join(@tmp, "my ruby")
    small_tree(SOURCE, @tree)
  end

  def teardown
    FileUtils.chmod_R("u+w", @tmp)
    FileUtils.rm_rf(@tmp)
  end

  def checkout
    git("init", "-q", "-b", "main")
    git("config", "user.name", "A")
    git("config", "user.email", "a@example.org")
    git("add", "-A", "-f")
    git("commit", "-q", "-m", "ruby")
  end

  def snapshot
    files = Dir.glob("**/*", File::FNM_DOTMATCH, base: @tree).select { |f| File.file?(File.join(@tree, f)) && !f.start_with?(".git/") }
    files.sort.to_h { |f| [f, Digest::SHA256.file(File.join(@tree, f)).hexdigest[0, 12]] }
  end

  def series
    Linesplit.series(Builds.base_version)
  end

  def test_release_tree
    before = snapshot
    out, status = tool("apply", "--check", @tree)
    assert_equal 0, status, out
    assert_equal before, snapshot, "--check changed something"
    assert_equal 0, tool("apply", @tree)[1]
    after = snapshot
    assert_equal Linesplit.touched(series).sort, after.reject { |f, digest| before[f] == digest }.keys.sort
    assert_includes File.read(File.join(@tree, "win32/win32.c")), "rb_w32_memchr"
    out, status = tool("apply", @tree)
    assert_equal [0, after], [status, snapshot]
    assert_match(/already applied/, out)
    [%w[--check --reverse], %w[--reverse --check]].each do |options|
      out, status = tool("apply", *options, @tree)
      assert_equal [0, after], [status, snapshot], options.inspect
      assert_match(/would take off/, out)
    end
    assert_match(/whatever --with names/, tool("apply", "--reverse", "--with", "unrolled", @tree)[0])
    assert_equal 0, tool("apply", "--reverse", @tree)[1]
    assert_equal before, snapshot
    assert_match(/nothing of the series/, tool("apply", "--reverse", @tree)[0])
  end

  def test_checkout
    checkout
    before = git("rev-parse", "HEAD")
    out, status = tool("apply", @tree)
    assert_equal 0, status, out
    subjects = git("log", "--reverse", "--format=%s", "#{before.chomp}..").lines.size
    assert_equal series.size, subjects
    assert_empty git("status", "--porcelain")
    assert_match(/already applied/, tool("apply", @tree)[0])
    assert_equal 0, tool("apply", "--reverse", @tree)[1]
    assert_equal before, git("rev-parse", "HEAD")
  end

  def test_reverse_below_other_commits
    checkout
    files = git("ls-tree", "-r", "HEAD")
    tool("apply", @tree)
    git("commit", "-q", "--allow-empty", "-m", "mine")
    assert_equal 0, tool("apply", "--reverse", @tree)[1]
    assert_equal files, git("ls-tree", "-r", "HEAD")
    assert_equal "Revert the line splitting series\nmine\n", git("log", "-2", "--format=%s")
  end

  # What the user has put into one of the commits is kept.
  def test_reverse_of_an_amended_commit
    checkout
    tool("apply", @tree)
    File.write(File.join(@tree, "mine"), "mine\n")
    git("add", "mine")
    git("commit", "-q", "--amend", "--no-edit")
    assert_equal 0, tool("apply", "--reverse", @tree)[1]
    assert_equal "mine\n", File.read(File.join(@tree, "mine"))
    assert_equal "Revert the line splitting series", git("log", "-1", "--format=%s").chomp
    refute_includes File.read(File.join(@tree, "win32/win32.c")), "rb_w32_memchr"
  end

  def test_reverse_of_an_amended_message
    checkout
    tool("apply", @tree)
    git("commit", "-q", "--amend", "-m", "mine")
    assert_equal 0, tool("apply", "--reverse", @tree)[1]
    assert_equal "Revert the line splitting series\nmine\n", git("log", "-2", "--format=%s")
  end

  def test_reverse_of_another_form
    assert_equal 0, tool("apply", @tree)[1]
    file = File.join(@tree, "string.c")
    File.write(file, File.read(file).sub("STR_SUBSEQ_MAX_EMBED_SIZE 160", "STR_SUBSEQ_MAX_EMBED_SIZE 200"))
    out, status = tool("apply", "--reverse", @tree)
    assert_equal 0, status, out
    assert_match(/^0003-\S+ is not among what is taken off, nor does it apply/, out)
    assert_equal 1, out.scan(/is not among/).size
  end

  # A merge at the tip is no commit of ours, and what came by it stays.
  def test_reverse_below_a_merge
    checkout
    git("branch", "other")
    tool("apply", @tree)
    git("checkout", "-q", "other")
    File.write(File.join(@tree, "theirs"), "theirs\n")
    git("add", "theirs")
    # by date it stands below ours
    Linesplit.capture!({ "GIT_COMMITTER_DATE" => "2001-01-01T00:00:00Z" }, "git", "-C", @tree, "commit", "-q", "-m", "theirs")
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "merge", "other")
    assert_equal 0, tool("apply", "--reverse", @tree)[1]
    assert_equal "theirs\n", File.read(File.join(@tree, "theirs"))
    assert_equal "Revert the line splitting series\nmerge\n", git("log", "--first-parent", "-2", "--format=%s")
    refute_includes File.read(File.join(@tree, "win32/win32.c")), "rb_w32_memchr"
  end

  def test_file_in_the_way
    checkout
    FileUtils.mkdir_p(File.join(@tree, "benchmark"))
    File.write(File.join(@tree, "benchmark/io_gets.yml"), "mine\n")
    before = [git("rev-parse", "HEAD"), snapshot]
    [%w[--check], []].each do |options|
      out, status = tool("apply", *options, @tree)
      assert_equal [1, before], [status, [git("rev-parse", "HEAD"), snapshot]]
      assert_match(%r{move them away: benchmark/io_gets\.yml}, out)
    end
  end

  def test_all_or_nothing
    # the last change of the series is the one that does not fit
    path = File.join(@tree, "string.c")
    File.write(path, File.read(path).sub("str2 = str_alloc_heap(rb_cString);\n    if (str_embed_capa", "str2 = mine(rb_cString);\n    if (str_embed_capa"))
    before = snapshot
    2.times do |i|
      checkout if i == 1
      head = i == 1 && git("rev-parse", "HEAD")
      out, status = tool("apply", @tree)
      assert_equal 1, status
      assert_match(/0003-\S+ does not apply to .*string\.c hunk 2/, out)
      assert_equal before, snapshot
      assert_equal head, git("rev-parse", "HEAD") if head
    end
  end

  def test_dirty_checkout
    checkout
    File.write(File.join(@tree, "version.h"), "/* mine */\n", mode: "a")
    out, status = tool("apply", @tree)
    assert_equal 1, status
    assert_match(/uncommitted changes.*--allow-dirty.*version\.h/m, out)
    assert_equal 0, tool("apply", "--allow-dirty", @tree)[1]
    assert_equal " M version.h\n", git("status", "--porcelain")
    assert_equal 0, tool("apply", "--reverse", "--allow-dirty", @tree)[1]
    File.write(File.join(@tree, "string.c"), "/* mine */\n", mode: "a")
    out, status = tool("apply", "--allow-dirty", @tree)
    assert_equal 1, status
    assert_match(/files that the series changes: string\.c/, out)
  end

  def test_interrupt
    checkout
    %i[INT HUP].each { |signal| assert_undone_by(signal) }
  end

  def assert_undone_by(signal)
    FileUtils.rm_f(File.join(@tmp, "started"))
    before = [snapshot, git("rev-parse", "HEAD")]
    hook = File.join(@tree, ".git/hooks/pre-applypatch")
    FileUtils.mkdir_p(File.dirname(hook))
    File.write(hook, "#!/bin/sh\ntouch #{@tmp.shellescape}/started\nsleep 0.3\n", perm: 0o755)
    out, err = IO.pipe
    pid = spawn(File.join(Linesplit::ROOT, "tool/apply"), @tree, %i[out err] => err, pgroup: true)
    200.times { File.exist?(File.join(@tmp, "started")) ? break : sleep(0.05) }
    # the second comes while the first is seen to
    2.times { Process.kill(signal, -pid); sleep 0.05 }
    Process.wait(pid)
    err.close
    assert_equal 1, $?.exitstatus
    assert_match(/interrupted; nothing was changed/, out.read)
    assert_equal before, [snapshot, git("rev-parse", "HEAD")]
    refute_path_exists File.join(@tree, ".git/rebase-apply")
  end

  # git does not look into it, and it is no release tree for that
  def test_checkout_of_somebody_else
    return pass unless Process.uid.zero? # who alone can give a tree away
    checkout
    before = snapshot
    FileUtils.chown_R("nobody", nil, @tree)
    out, status = tool("apply", @tree)
    assert_equal 1, status
    assert_match(/rev-parse.*failed:.*ownership/m, out)
    assert_equal before, snapshot
  end

  def test_am_under_way
    checkout
    FileUtils.mkdir_p(File.join(@tree, ".git/rebase-apply"))
    out, status = tool("apply", @tree)
    assert_equal 1, status
    assert_match(/under way/, out)
  end

  def test_lock
    checkout
    FileUtils.touch(File.join(@tree, ".git/index.lock"))
    out, status = tool("apply", "--check", @tree)
    assert_equal 1, status
    assert_match(/another git is at work.*index\.lock is its lock/, out)
  end

  def test_line_ends
    file = File.join(@tree, "string.c")
    File.write(file, File.read(file).gsub("\n", "\r\n"))
    out, status = tool("apply", @tree)
    assert_equal 1, status
    assert_match(/string\.c hunk 2; string\.c: lines end in CR LF/, out)
  end

  # For root only a mount is read-only.
  def test_unwritable
    before = snapshot
    if Process.uid.zero?
      script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2" "$1"'
      out, status = run_command("unshare", "--mount", "--propagation", "private", "sh", "-c", script, "-", @tree, File.join(Linesplit::ROOT, "tool/apply"))
    else
      FileUtils.chmod_R("a-w", @tree)
      out, status = tool("apply", @tree)
    end
    assert_equal 1, status, out
    assert_match(/not writable|[Rr]ead-only/, out)
    assert_equal before, snapshot
  end

  def test_full_disk
    skip "needs root for a mount" unless Process.uid.zero?
    # room for the tree, not for a second copy of string.c beside the first
    script = 'mount -t tmpfs -o size=3m tmpfs "$2" && cp -a "$1/." "$2/" && dd if=/dev/zero of="$2/fill" 2>/dev/null
              "$3" "$2"; status=$?; rm "$2/fill"; diff -r "$1" "$2" && exit $status'
    Dir.mktmpdir do |small|
      out, status = run_command("unshare", "--mount", "--propagation", "private", "sh", "-c", script, "-", @tree, small, File.join(Linesplit::ROOT, "tool/apply"))
      assert_match(/No space left/, out)
      assert_equal 1, status, out
    end
  end

  # A mount point cannot be renamed: all files but one are new by then.
  def test_rename_fails_half_way
    skip "needs root for a mount" unless Process.uid.zero?
    before = snapshot
    script = 'mount --bind "$1/string.c" "$1/string.c" && exec "$2" "$1"'
    out, status = run_command("unshare", "--mount", "--propagation", "private", "sh", "-c", script, "-", @tree, File.join(Linesplit::ROOT, "tool/apply"))
    assert_equal [1, before], [status, snapshot], out
    assert_match(/string\.c.*nothing was changed/, out)
  end

  def test_directory_elsewhere
    FileUtils.mv(File.join(@tree, "win32"), File.join(@tmp, "win32"))
    File.symlink("../win32", File.join(@tree, "win32"))
    before = snapshot
    out, status = tool("apply", @tree)
    assert_equal [1, before], [status, snapshot]
    assert_match(%r{win32 is not in .*my ruby$}, out)
  end

  def test_not_a_regular_file
    file = File.join(@tree, "win32/win32.c")
    File.rename(file, file + ".mine")
    File.symlink("win32.c.mine", file)
    before = snapshot
    [["--check"], []].each do |options|
      out, status = tool("apply", *options, @tree)
      assert_equal [1, before], [status, snapshot]
      assert_match(%r{win32/win32\.c is not a regular file}, out)
    end
    assert_equal "win32.c.mine", File.readlink(file)
  end

  def test_reverse_that_cannot_be_committed
    checkout
    assert_equal 0, tool("apply", @tree)[1]
    git("commit", "-q", "--allow-empty", "-m", "mine")
    hook = File.join(@tree, ".git/hooks/pre-commit")
    FileUtils.mkdir_p(File.dirname(hook))
    File.write(hook, "#!/bin/sh\necho refused >&2\nexit 1\n", perm: 0o755)
    before = [snapshot, git("rev-parse", "HEAD")]
    out, status = tool("apply", "--reverse", @tree)
    assert_equal [1, before], [status, [snapshot, git("rev-parse", "HEAD")]], out
    assert_match(/refused.*Nothing was changed/m, out)
    assert_empty git("status", "--porcelain")
  end

  def test_checkout_without_a_commit
    git("init", "-q", "-b", "main")
    out, status = tool("apply", @tree)
    assert_equal 1, status
    assert_match(/my ruby is a git checkout without a commit; commit the tree first/, out)
  end

  # As it is in a git hook.
  def test_another_repository_in_the_environment
    checkout
    other = File.join(@tmp, "other")
    Linesplit.capture!("git", "init", "-q", other)
    out, status = run_command("env", "GIT_DIR=#{other}/.git", "GIT_INDEX_FILE=#{other}/index", File.join(Linesplit::ROOT, "tool/apply"), @tree)
    assert_equal 0, status, out
    assert_equal series.size + 1, git("log", "--format=%h").lines.size
  end

  def version(numbers)
    major, minor = numbers.split(".")
    path = File.join(@tree, "include/ruby/version.h")
    File.write(path, File.read(path).sub(/(API_VERSION_MAJOR) \d+/, "\\1 #{major}").sub(/(API_VERSION_MINOR) \d+/, "\\1 #{minor}"))
  end

  def test_refused
    version("3.2")
    out, status = tool("apply", @tree)
    assert_equal 1, status
    assert_match(/is CRuby 3\.2\.\d+; supported are .* 3\.3, 3\.4, 4\.0, 4\.1/, out)
    assert_match(/string\.c: not a directory/, tool("apply", File.join(@tree, "string.c"))[0])
    File.write(File.join(@tree, "version.h"), "")
    assert_match(/version\.h name no version\); supported/, tool("apply", @tree)[0])
    FileUtils.rm(File.join(@tree, "string.c"))
    assert_match(/not a CRuby source tree \(string\.c is missing\)/, tool("apply", @tree)[0])
    assert_match(/no such directory/, tool("apply", File.join(@tmp, "none"))[0])
    assert_match(/give one CRuby tree/, tool("apply")[0])
    assert_match(/no optional patch nonsense/, tool("apply", "--with", "nonsense", SOURCE)[0])
  end

  # A development version is known by its content: a tree that calls itself 4.1
  # and shares as 4.0 did gets the change to str_subseq.
  def test_by_content
    version("4.1")
    out, status = tool("apply", "--check", @tree)
    assert_equal 0, status, out
    assert_match(/CRuby 4\.0, would apply.*0003/m, out)
  end

  # Nor is our own change to str_subseq, in another state, taken for CRuby's.
  def test_another_state_of_the_series
    version("4.1")
    assert_equal 0, tool("apply", @tree)[1]
    file = File.join(@tree, "string.c")
    File.write(file, File.read(file).sub("STR_SUBSEQ_MAX_EMBED_SIZE 160", "STR_SUBSEQ_MAX_EMBED_SIZE 128"))
    before = snapshot
    out, status = tool("apply", @tree)
    assert_equal 1, status
    assert_match(/0003\S+ does not apply to .*string\.c hunk 1.*Nothing was changed/, out)
    assert_equal before, snapshot
  end

  def test_list
    out, status = tool("apply", "--list", "4.1")
    assert_equal 0, status
    refute_match(/0003/, out)
    assert_match(/0001/, out)
    assert_equal out, tool("apply", "--list", "4.1.0")[0]
    assert_match(/no series for CRuby 2\.7; there is one for each of 3\.3, 3\.4, 4\.0, 4\.1/, tool("apply", "--list", "2.7")[0])
  end
end
