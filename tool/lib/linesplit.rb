# frozen_string_literal: true
# What the commands of tool/ share: where things are, how a step is run, and
# how a CRuby tree is recognised.

require "digest"
require "fileutils"
require "json"
require "open3"
require "optparse"
require "rbconfig"
require "shellwords"
require "tmpdir"

# a bare root has no locale, and neither sources nor what is printed is ASCII
Encoding.default_external = Encoding::UTF_8
# a git hook, for one, sets these; the repository meant is always the one that is named
ENV.delete_if { |name, _| name.match?(/\AGIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES)\z/) }

module Linesplit
  ROOT = File.expand_path("../..", __dir__)
  BASES = %w[3.3 3.4 4.0 4.1].freeze
  Error = Class.new(StandardError)

  module_function

  # Ends the command with a message instead of a backtrace.
  def main
    signals = %w[INT TERM HUP] & Signal.list.keys
    signals.each do |signal|
      trap(signal) do
        # a second one would interrupt what undoes things after the first
        signals.each { |s| trap(s, "IGNORE") }
        raise Interrupt
      end
    end
    # what reads a child's output dies with it, which is no news
    Thread.report_on_exception = false
    yield
  rescue Error, OptionParser::ParseError, SystemCallError => e
    abort "#{File.basename($PROGRAM_NAME, ".rb")}: #{e.message}"
  rescue Interrupt
    abort "\n#{File.basename($PROGRAM_NAME, ".rb")}: interrupted; run it again to go on"
  end

  def cache_dir
    home = ENV["XDG_CACHE_HOME"] || File.join(Dir.home, ".cache")
    File.join(home, "ruby-linesplit")
  end

  # Neither configure nor mkmf can build below a path with a space or a shell
  # metacharacter in it, so such a checkout is built in the cache directory.
  def build_dir
    @build_dir ||= ENV["LINESPLIT_BUILD"] || begin
      dir = File.join(ROOT, "build")
      if dir.match?(%r{[^\w/.+@%,:-]})
        dir = File.join(cache_dir, "build-#{Digest::SHA256.hexdigest(ROOT)[0, 8]}")
      end
      dir
    end
  end

  def results_dir
    FileUtils.mkdir_p(File.join(build_dir, "results"))[0]
  end

  def duration(seconds)
    seconds < 60 ? format("%.0f s", seconds) : format("%d min %02d s", *seconds.round.divmod(60))
  end

  # Runs one long step with its output in a log: says what runs and where the
  # log is, shows elapsed time (on a terminal in place, else once a minute),
  # and where the exit status is not one of those given, raises with the end of
  # the log.
  def step(title, *cmd, log:, env: {}, chdir: ".", status: [0])
    FileUtils.mkdir_p(File.dirname(log))
    tty = $stderr.tty?
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    $stderr.puts "#{title} (log: #{log})" unless tty
    pid = spawn(env, *cmd, chdir: chdir, in: File::NULL, %i[out err] => [log, "w"], pgroup: true)
    ended = nil
    shown = 0
    until ended
      sleep 0.2
      elapsed = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
      ended = Process.wait2(pid, Process::WNOHANG)&.last
      if tty
        $stderr.print "\r\e[K#{title} #{duration(elapsed)} (log: #{log})"
      elsif (elapsed / 60).floor > shown
        shown = (elapsed / 60).floor
        $stderr.puts "  … #{duration(elapsed)}"
      end
    end
    elapsed = Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
    $stderr.puts "#{tty ? "\r\e[K" : ""}#{title}: #{(fine = status.include?(ended.exitstatus)) ? "done" : "FAILED"} in #{duration(elapsed)}"
    return if fine

    tail = File.readlines(log, encoding: "BINARY").last(25).join
    raise Error, "#{title} failed (#{ended.exitstatus ? "exit #{ended.exitstatus}" : "signal #{ended.termsig}"}): " \
                 "#{cmd.shelljoin}\nThe end of #{log}:\n#{tail.scrub.gsub(/^/, "  | ")}"
  rescue Interrupt
    end_group(pid) if pid && !ended
    raise
  end

  # Ends a process group: gently, so that make takes half-made files away, and
  # then for good, for what has a process namespace of its own ignores the rest.
  def end_group(pid)
    Process.kill(:TERM, -pid)
    20.times { Process.wait(pid, Process::WNOHANG) ? break : sleep(0.1) }
  ensure
    begin
      Process.kill(:KILL, -pid)
    rescue Errno::ESRCH
      # nothing is left
    end
  end

  # Output of a short command, or nil where it fails.
  def capture(*cmd, **opts)
    out, status = Open3.capture2e(*cmd, **opts)
    status.success? ? out : nil
  rescue Errno::ENOENT
    nil
  end

  # Output of a short command that must succeed.
  def capture!(*cmd, **opts)
    out, status = Open3.capture2e(*cmd, **opts)
    return out if status.success?

    raise Error, "#{cmd.reject { |c| c.is_a?(Hash) }.shelljoin} failed:\n#{out.scrub.gsub(/^/, "  | ")}"
  rescue Errno::ENOENT => e
    raise Error, "#{e.message.sub("No such file or directory - ", "")} is not installed; tool/setup installs it"
  end

  # What every CRuby source tree has and identify looks at.
  IDENTIFYING = %w[include/ruby/version.h version.h string.c win32/win32.c include/ruby/win32.h].freeze

  # Version and base of a CRuby source tree: ["3.3.8", "3.3"].  A tree is known
  # by what it holds: the version numbers in include/ruby/version.h and
  # version.h, and the code that the series changes.
  def identify(dir)
    raise Error, "#{dir}: #{File.exist?(dir) ? "not a directory" : "no such directory"}" unless File.directory?(dir)
    raise Error, "#{dir}: not readable" unless File.readable?(dir) && File.executable?(dir)

    files = IDENTIFYING.map { |f| File.join(dir, f) }
    api = files[0]
    if (missing = files.find { |f| !File.file?(f) })
      sparse = ", in a sparse checkout" if capture("git", "-C", dir, "config", "core.sparseCheckout")&.chomp == "true"
      raise Error, "#{dir} is not a CRuby source tree (#{missing[dir.size + 1..]} is missing#{sparse}); #{supported}"
    end

    number = ->(file, name) { File.read(file)[/^#\s*define\s+#{name}\s+(\d+)/, 1] }
    major = number[api, "RUBY_API_VERSION_MAJOR"]
    minor = number[api, "RUBY_API_VERSION_MINOR"]
    teeny = number[files[1], "RUBY_VERSION_TEENY"]
    base = "#{major}.#{minor}"
    raise Error, "#{dir} is not a CRuby source tree (#{IDENTIFYING[0]} and #{IDENTIFYING[1]} name no version); #{supported}" unless major && minor && teeny
    raise Error, "#{dir} is CRuby #{base}.#{teeny}; #{supported}" unless BASES.include?(base)

    ["#{base}.#{teeny}", base]
  end

  # The base that a version belongs to: 3.3 for 3.3 and 3.3.8.
  def base_named(version)
    base = version[/\A(\d+\.\d+)(?:\.\d+)?\z/, 1]
    BASES.include?(base) ? base : raise(Error, "no series for CRuby #{version}; there is one for each of #{BASES.join(", ")}")
  end

  def supported
    "supported are git checkouts and release trees of CRuby #{BASES.join(", ")}"
  end

  # Installs what GROUP of tool/setup names, once it is known that DIR, if one
  # was given, will do.
  def setup(group, dir = nil)
    identify(dir) if dir
    system(File.join(ROOT, "tool/setup"), group) or exit 1
  end

  # True where DIR is the top of a git checkout (a release tree unpacked inside
  # some other repository is not).
  def git_checkout?(dir)
    top = capture("git", "-C", dir, "rev-parse", "--show-toplevel")
    # somebody else's, for one, is not looked into: then this says why
    capture!("git", "-C", dir, "rev-parse", "--show-toplevel") if !top && File.exist?(File.join(dir, ".git"))
    !top.nil? && File.realpath(top.chomp) == File.realpath(dir)
  end

  # One line of patches/series: a patch, the bases it is for, and the name of
  # the option that adds it (nil: always).
  Patch = Struct.new(:file, :bases, :option) do
    def path
      File.join(ROOT, "patches", file)
    end
  end

  def patches
    @patches ||= File.readlines(File.join(ROOT, "patches/series")).filter_map do |line|
      line = line.sub(/#.*/, "").split
      next if line.empty?

      option = line.last.start_with?("+") ? line.pop[1..] : nil
      Patch.new(line.shift, line, option)
    end
  end

  # Number of the feature request that a patch belongs to.
  def feature(patch)
    File.read(patch.path)[/^\[Feature #(\d+)\]$/, 1]
  end

  # The message of the commit that a patch is.
  def message(patch)
    subject, body = File.read(patch.path).match(/^Subject: \[PATCH\] (.*?)\n\n(.*?)^---$/m).captures
    "#{subject.gsub(/\n /, " ")}\n\n#{body.strip}"
  end

  # The patches for a base, in the order in which they apply.
  def series(base, with: [])
    unknown = with - patches.filter_map { |p| p.option if p.bases.include?(base) }
    raise Error, "no optional patch #{unknown.join(", ")} for CRuby #{base}; see tool/apply --list" unless unknown.empty?

    patches.select { |p| p.bases.include?(base) && (p.option.nil? || with.include?(p.option)) }
  end
end
