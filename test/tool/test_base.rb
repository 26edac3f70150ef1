# frozen_string_literal: true
# tool/base: where the base comes from, and what it says where there is none.

require_relative "../helper"

class TestBase < Minitest::Test
  def setup
    Linesplit.base_source(base: Builds.base_version)
  end

  # Without a network: unshare gives the command none.
  def offline(dir, *args, **env)
    prefix = Process.uid.zero? ? %w[unshare --net] : %w[unshare --net --map-root-user]
    run_command({ "LINESPLIT_BUILD" => File.join(dir, "build") }.merge(env.transform_keys(&:to_s)),
                *prefix, File.join(Linesplit::ROOT, "tool/base"), *args)
  end

  def test_no_network_with_a_warm_cache
    Linesplit.debian_tarball("ruby#{Builds.base_version}")
    Dir.mktmpdir do |dir|
      out, status = offline(dir, "--base", Builds.base_version)
      assert_equal 0, status, out
      assert File.file?(File.join(out.lines.last.chomp, "string.c"))
    end
  end

  def test_no_network_and_no_cache
    Dir.mktmpdir do |dir|
      out, status = offline(dir, XDG_CACHE_HOME: File.join(dir, "cache"))
      assert_equal 1, status
      assert_match(/no source package ruby3\.3 in Debian .*Give a CRuby tree instead/m, out)
      refute_match(/\.rb:\d+:in/, out, "a backtrace")
    end
  end

  def test_refused
    Dir.mktmpdir("a dir ") do |dir|
      assert_match(/not a CRuby source tree \(include\/ruby\/version\.h is missing\)/, tool("base", dir)[0])
      assert_match(/no such directory/, tool("base", File.join(dir, "none"))[0])
      out, status = tool("base", "--base", "4.0")
      assert_equal 1, status
      assert_match(/give the directory of a CRuby tree/, out)
    end
  end

  # A comparison with itself says nothing.
  def test_base_with_the_series
    Dir.mktmpdir do |dir|
      tree = File.join(dir, "ruby")
      small_tree(Linesplit.base_source(base: Builds.base_version), tree)
      compare = ["-r", File.join(Linesplit::ROOT, "tool/lib/source"), "-e", "include Linesplit; main { puts patched_source(base_source(dir: ARGV[0])) }", tree]
      env = { "LINESPLIT_BUILD" => File.join(dir, "build") }
      out, status = run_command(env, RbConfig.ruby, *compare)
      assert_equal 0, status, out
      assert_equal 0, tool("apply", tree)[1]
      out, status = run_command(env, RbConfig.ruby, *compare)
      assert_equal 1, status, out
      assert_match(/has the series already; tool\/apply --reverse/, out)
      assert_equal 0, tool("apply", "--reverse", tree)[1]
      patch = Linesplit.series(Builds.base_version).first
      Linesplit.capture!("patch", "-p1", "-s", "-i", patch.path, chdir: tree)
      out, status = run_command(env, RbConfig.ruby, *compare)
      assert_equal 0, status, out
      assert_includes out, "the base has #{patch.file} already"
    end
  end

  # A checkout is copied at its HEAD and stays as it is, a space in its path or not.
  def test_checkout
    Dir.mktmpdir("a dir ") do |dir|
      tree = File.join(dir, "my ruby")
      %w[include/ruby/version.h include/ruby/win32.h version.h string.c win32/win32.c].each do |f|
        FileUtils.mkdir_p(File.dirname(File.join(tree, f)))
        FileUtils.cp(File.join(Linesplit.base_source(base: Builds.base_version), f), File.join(tree, f))
      end
      env = { "LINESPLIT_BUILD" => File.join(dir, "build") }
      base = File.join(Linesplit::ROOT, "tool/base")
      out, status = run_command(env, base, tree)
      assert_equal 0, status, out
      Linesplit.capture!("git", "init", "-q", chdir: tree)
      Linesplit.capture!("git", "add", "-A", chdir: tree)
      Linesplit.capture!("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "ruby", chdir: tree)
      File.write(File.join(tree, "string.c"), "/* mine */", mode: "a")
      out, status = run_command(env, base, tree)
      assert_equal 0, status, out
      assert_match(/uncommitted changes are left out/, out)
      refute_includes File.read(File.join(out.lines.last.chomp, "string.c")), "/* mine */"
      assert_equal " M string.c\n", Linesplit.capture!("git", "status", "--porcelain", chdir: tree)
    end
  end
end
