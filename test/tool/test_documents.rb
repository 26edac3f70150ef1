# frozen_string_literal: true
# Every command in the documents is run here or by the test that is named, or is
# on the list of those that are not, with the reason.

require_relative "../helper"

class TestDocuments < Minitest::Test
  DOCUMENTS = Dir.glob("{*.md,win32/*.md,benchmark/**/*.md}", base: Linesplit::ROOT).sort.freeze

  # What a block's line starts with when it is a command and not output.
  WORDS = /\A(?:\$ |(?:\w+=\S+ )*(?:tool\/|\.ci\/|\.\/|(?:make|ruby|cc|gcc|git|sh|cat|patch|quilt|cd|pacman|apt-get|gh|wine|cbmc)\b))/

  # The commands of a document: lines of indented and of fenced blocks, without the
  # comment behind them; a backslash goes on on the next line.
  def self.commands(file)
    fence = nil
    File.read(File.join(Linesplit::ROOT, file)).gsub(/ \\\n\s+/, " ").lines(chomp: true).filter_map do |line|
      if line =~ /\A```(\w*)/
        fence = fence ? nil : $1
        next
      end
      text = fence ? line : line[/\A {4}(\S.*)/, 1]
      # of a transcript, what was typed
      next unless text&.match?(fence == "text" ? /\A\$ / : WORDS)

      text.delete_prefix("$ ").sub(/\s+#\s.*/, "").strip
    end.uniq
  end

  COMMANDS = DOCUMENTS.to_h { |file| [file, commands(file)] }.freeze

  # Run in the order in which they stand, in a home directory with a CRuby
  # checkout, ~/ruby; they must succeed.
  RUN = %r{
    \Atool/(?:apply|refresh|check-upstream|export|report|base)\b |
    \Atool/\S+\ --(?:help|list)\b |
    \Agit\ -C\ ~/ruby\ format-patch\b |
    \Acc\ -O2\ -c\b
  }x

  # Run by another test, with the same words after the tool's name.
  ELSEWHERE = {
    %r{\Atool/pull-request --feature \d+ ~/ruby\z} => ["test/tool/test_pull_request.rb", "--feature"],
    %r{\Atool/microbench\z} => ["test/memchr/test_memchr.rb", "tool/microbench"],
    %r{\Atool/microbench --target x64-mingw-ucrt\z} => ["test/windows/test_memchr.rb", "test/memchr/test_memchr.rb"],
    %r{\Atool/microbench --target x64-mingw-ucrt --libucrt} => ["test/windows/test_mingw_w64.rb", "--libucrt"],
    %r{\Aruby test/tool/test_apply\.rb\z} => ["test/tool/test_apply.rb", "TestApply"],
    %r{\A(?:FUZZ_SECONDS=\d+ )?ruby test/memchr/test_memchr\.rb} => ["test/memchr/test_memchr.rb", "FUZZ_SECONDS"],
    %r{\Atool/profile\z} => ["test/native/test_profile.rb", "profile"],
    %r{\Amake benchmark ITEM=} => ["tool/lib/compare.rb", '"make", "benchmark"'],
  }.freeze

  # Not run, and why.
  NOT_RUN = {
    %r{\Atool/bench\b} => "the whole of the project: half an hour of builds; CI's and this machine's own first command",
    %r{\Atool/test\b} => "it would run this test again; .ci/run is that command",
    %r{\A\.ci/run\z} => "tool/test",
    %r{\Atool/readme\z} => "it wants the results of whole runs",
    %r{\Atool/evidence\b} => "a quarter of an hour; test/evidence/ runs its parts",
    %r{\Agit -C ~/ruby rebase --interactive} => "it asks its user what to do",
    %r{\Aruby benchmark/lines\.rb .*(?:C:/|path/to)} => "two Rubies that only the user has; test/windows/ runs the program",
    %r{\A(?:pacman|apt-get) } => "it installs packages",
    %r{\Agit clone URL } => "the reader knows the URL",
  }.freeze

  def test_every_command_is_accounted_for
    refute_empty COMMANDS.values.flatten
    COMMANDS.each do |file, commands|
      commands.each do |command|
        where = [RUN, *ELSEWHERE.keys, *NOT_RUN.keys].count { |pattern| command.match?(pattern) }
        assert_equal 1, where, "#{file}: `#{command}` has to be in one of the lists of this test"
      end
    end
  end

  def test_lists_are_needed
    all = COMMANDS.values.flatten
    # those that a document may well have again
    optional = [%r{\A\.ci/run\z}, %r{\A(?:pacman|apt-get) }, %r{\Atool/evidence\b}, %r{\Aruby benchmark/lines\.rb .*(?:C:/|path/to)}]
    (ELSEWHERE.keys + NOT_RUN.keys - optional).each { |pattern| assert(all.any? { |c| c.match?(pattern) }, "no document has #{pattern.source} any more") }
    ELSEWHERE.each_value do |file, words|
      path = File.join(Linesplit::ROOT, file)
      assert_path_exists path
      assert_includes File.read(path), words, file
    end
  end

  # A command that is not run here has options that its --help knows.
  def test_options_are_known
    COMMANDS.values.flatten.uniq.grep(%r{\Atool/}).each do |command|
      tool, *args = command.split
      options = args.take_while { |a| !a.start_with?('"$(') }.grep(/\A--?[a-z]/).map { |o| o.sub(/=.*/, "") }
      next if options.empty?

      out, status = run_command(File.join(Linesplit::ROOT, tool), "--help")
      assert_equal 0, status, out
      options.each { |o| assert_match(/#{Regexp.escape(o)}\b/, out, "`#{command}`") }
    end
  end

  def home
    @home ||= Dir.mktmpdir.tap do |home|
      source = Linesplit.base_source(base: Builds.base_version)
      ruby = File.join(home, "ruby")
      (Linesplit.touched(Linesplit.patches) + %w[version.h include/ruby/version.h]).each do |f|
        next unless File.file?(File.join(source, f))
        FileUtils.mkdir_p(File.dirname(File.join(ruby, f)))
        FileUtils.cp(File.join(source, f), File.join(ruby, f))
      end
      [%w[init -q -b master], %w[config user.name A], %w[config user.email a@example.org], %w[add -A -f], %w[commit -q -m ruby]]
        .each { |args| Linesplit.capture!("git", "-C", ruby, *args) }
      %w[results report].each { |d| FileUtils.mkdir_p(File.join(home, "build", d)) }
      # so that there is something to report
      File.write(File.join(home, "build/results/x.json"), JSON.generate("tables" => [{ "table" => "memchr", "unit" => "ns", "rows" => [{ "row" => "n=1", "cells" => { "bytes" => { "best" => 1.0, "median" => 1.0, "worst" => 1.0 } } }] }]))
    end
  end

  # In a copy of the project, whose build directory has the real one's sources.
  DOCUMENTS.each do |file|
    define_method("test_commands_of_#{file.gsub(/\W/, "_")}") do
      project = File.join(home, "project")
      FileUtils.mkdir(project)
      FileUtils.cp_r(Linesplit.capture!("git", "-C", Linesplit::ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
                              .map { |f| f[%r{\A[^/]+}] }.uniq.map { |f| File.join(Linesplit::ROOT, f) }.select { |f| File.exist?(f) }, project)
      env = { "HOME" => home, "XDG_CACHE_HOME" => File.dirname(Linesplit.cache_dir), "LINESPLIT_BUILD" => File.join(home, "build"), "PAGER" => "cat" }
      File.symlink(File.join(Linesplit.build_dir, "src"), File.join(home, "build/src"))
      COMMANDS[file].grep(RUN).each do |command|
        out, status = run_command(env, "sh", "-c", command, chdir: project)
        assert_equal 0, status, "#{file}: #{command}\n#{out}"
      end
    ensure
      FileUtils.rm_rf(@home)
    end
  end

  # Files and directories that the documents name in backquotes or link to exist.
  def test_names
    DOCUMENTS.each do |file|
      text = File.read(File.join(Linesplit::ROOT, file))
      names = text.scan(/\]\(([^)#:]+)\)/).flatten.map { |f| File.join(File.dirname(file), f) }
      names += text.scan(%r{\b(?:tool|test|patches|win32|benchmark)/[\w./-]*\w-?})
      # CRuby has these
      (names - %w[win32/win32.c win32/mkexports.rb]).uniq.each do |name|
        assert File.exist?(File.join(Linesplit::ROOT, name)), "#{file}: there is no #{name}"
      end
    end
  end
end
