# frozen_string_literal: true
# A build that is killed goes on; two at once do not get in each other's way.

require_relative "../helper"

class TestBuild < Minitest::Test
  # A tree whose configure is a second long and whose make leaves a mark.
  def setup
    @tmp = Dir.mktmpdir
    @work = File.join(@tmp, "host/1/base")
    src = File.join(@work, "src")
    FileUtils.mkdir_p(File.join(src, "template"))
    FileUtils.touch([File.join(src, "string.c"), File.join(src, "template/Makefile.in")])
    File.write(File.join(src, "configure"), <<~'SH')
      #!/bin/sh
      echo configured >>../times
      printf 'main:\n\techo made >>../times\n\tsleep 1\n\ttest ! -e ../fail\n' >Makefile
    SH
    File.chmod(0o755, File.join(src, "configure"))
  end

  def teardown
    FileUtils.rm_rf(@tmp)
  end

  def build(**opts)
    tool("build", @work, **opts)
  end

  def times
    File.readlines(File.join(@work, "times"), chomp: true)
  end

  def test_killed_and_gone_on
    %i[TERM KILL].each do |signal|
      pid = spawn(File.join(Linesplit::ROOT, "tool/build"), @work, %i[out err] => File::NULL)
      sleep 0.1 until File.exist?(File.join(@work, "times")) && times.count("made") >= 1
      Process.kill(signal, pid)
      Process.wait(pid)
      out, status = build
      if status == 1
        # what SIGKILL left running is seen
        assert_equal :KILL, signal, out
        assert_match(/being built by another process/, out)
        sleep 2
        assert_equal 0, build[1]
      end
      assert_equal 1, times.count("configured"), "configured again"
      again = times
      assert_equal 0, build[1]
      assert_equal again, times, "a finished build was made again"
      FileUtils.rm_rf([File.join(@work, "obj"), File.join(@work, "times")])
    end
  end

  # Where there is no tree, obj/ is none of its builds.
  def test_no_tree
    FileUtils.rm(File.join(@work, "src/string.c"))
    FileUtils.mkdir_p(File.join(@work, "obj"))
    out, status = build
    assert_equal 1, status
    assert_match(%r{base/src is no CRuby source tree}, out)
    assert_path_exists File.join(@work, "obj")
    out, status = tool("build", File.dirname(@work))
    assert_equal 1, status
    assert_match(/of what kind is the build/, out)
  end

  # A checkout has no configure yet, and stays like that.
  def test_print
    src = File.join(@work, "src")
    FileUtils.rm(File.join(src, "configure"))
    { "" => [], "AC_ARG_ENABLE(zjit, AS_HELP_STRING([--enable-zjit]))\n" => ["--disable-zjit"] }.each do |text, zjit|
      File.write(File.join(src, "configure.ac"), text)
      out, status = run_command(File.join(Linesplit::ROOT, "configure-hooks.sh"), "--srcdir", src, "--print", "--", "--prefix=/x y's")
      assert_equal 0, status, out
      words = out.shellsplit
      assert_equal [File.join(src, "configure"), "--prefix=/x y's"], words.values_at(0, -1)
      assert_equal ["--disable-yjit", *zjit].sort, words.grep(/jit/).sort
    end
    refute_path_exists File.join(src, "configure")
  end

  # What extconf.rb of one build found out serves the next one of the same source.
  def test_found_once
    makefile = <<~'MAKE'
      main:
      	mkdir -p ext/x
      	test -f ext/x/Makefile || { echo asked >>../../asked; pwd >ext/x/Makefile; }
      rbconfig.rb:
      	touch rbconfig.rb
    MAKE
    File.write(File.join(@work, "src/configure"), "#!/bin/sh\ncat >Makefile <<'END'\n#{makefile}END\n")
    other = File.join(File.dirname(@work), "patched")
    FileUtils.mkdir_p(other)
    File.symlink("../base/src", File.join(other, "src"))
    [@work, other].each do |work|
      out, status = tool("build", work)
      assert_equal 0, status, out
      assert_equal "#{File.realpath(work)}/obj\n", File.read(File.join(work, "obj/ext/x/Makefile"))
    end
    assert_equal "asked\n", File.read(File.join(@tmp, "host/1/asked"))
  end

  def test_failure
    FileUtils.touch(File.join(@work, "fail"))
    out, status = build
    assert_equal 1, status
    assert_match(/make .* failed \(exit 2\).*The end of .*make\.log:\n.*Error 1/m, out)
    FileUtils.rm(File.join(@work, "fail"))
    assert_equal ["", 0], build.then { |o, s| [s.zero? ? "" : o, s] }
  end

  def test_not_a_tree
    FileUtils.rm(File.join(@work, "src/string.c"))
    out, status = build
    assert_equal 1, status
    assert_match(/no CRuby source tree/, out)
  end
end
