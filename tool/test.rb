# frozen_string_literal: true
# License: Ruby's
# Run by tool/test, where there is a ruby.

require "optparse"
require_relative "lib/source"

include Linesplit

base = "3.3"
target = nil
only = nil
OptionParser.new(<<~USAGE) do |o|
  usage: tool/test [options] [WORD...]

  Runs the tests of this project, among them CRuby's own tests and specs on the
  base and on the patched build, for this machine and for x64-mingw-ucrt under Wine,
  all of which it makes first; ends with "N passed, N failed".
  WORD...: only the test files with one of the words in their path.
USAGE
  o.on("--base VERSION", "Debian's ruby3.3 (default) or ruby3.4") { |v| base = v }
  o.on("--target TARGET", %w[host x64-mingw-ucrt], "only the tests for host, or those for x64-mingw-ucrt") { |v| target = v }
  o.on("--list", "show the test files and stop") { only = true }
end.then { |parser| Linesplit.main { parser.parse! } }

# Runs one test file in a process of its own; returns [passed, failed].
def run_file(file, base)
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  out = +""
  status = nil
  Open3.popen2({ "LINESPLIT_BASE" => base }, RbConfig.ruby, "-W1", file, err: %i[child out]) do |stdin, stdout, thread|
    stdin.close
    # progress goes through as it comes; what minitest says is kept for the end
    stdout.each_line { |line| out << line; $stderr.print "  #{line}" if line =~ /(?:done|FAILED) in |\((?:log|kept): |^looking for/ }
    status = thread.value
  end
  runs, failures, errors, skips = out.scrub.scan(/^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips/).last&.map(&:to_i)
  bad = runs ? failures + errors + skips : 1
  bad = 1 if bad.zero? && !status.success?
  took = duration(Process.clock_gettime(Process::CLOCK_MONOTONIC) - start)
  puts "#{bad.zero? ? "ok  " : "FAIL"} #{file.delete_prefix("#{ROOT}/")}: #{runs || 0} tests, #{took}"
  puts out.scrub.gsub(/^/, "    ") unless bad.zero?
  [(runs || 0) - [bad, runs || 0].min, bad]
end

main do
  files = Dir.glob(File.join(ROOT, "test/{cases,tool,memchr,native,windows,evidence}/**/test_*.rb")).sort
  files.select! { |f| ARGV.any? { |word| f.delete_prefix(ROOT).include?(word) } } unless ARGV.empty?
  windows, host = files.partition { |f| f.include?("/test/windows/") }
  windows = [] if target == "host"
  host = [] if target == "x64-mingw-ucrt"
  raise Error, "no test file has #{ARGV.join(" or ")} in its path" if windows.empty? && host.empty?
  next puts((host + windows).map { |f| f.delete_prefix("#{ROOT}/") }) if only

  setup("test")
  $stdout.sync = true
  patched_source(base_source(base: base))
  # side by side: much of either is one thing after another
  groups = [host, windows].map { |group| Thread.new { group.map { |file| run_file(file, base) } } }
  passed, failed = groups.flat_map(&:value).transpose.map(&:sum)
  puts "#{passed} passed, #{failed} failed"
  exit failed.zero?
end
