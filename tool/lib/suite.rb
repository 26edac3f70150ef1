# frozen_string_literal: true
# CRuby's own tests and specs on a build, and how two builds compare.

require_relative "build"
require_relative "target"

module Linesplit
  TESTS = %w[
    ruby/test_string.rb ruby/test_stringchar.rb ruby/test_m17n.rb ruby/test_m17n_comb.rb
    ruby/test_io.rb ruby/test_io_m17n.rb ruby/test_symbol.rb ruby/test_regexp.rb
    ruby/test_transcode.rb ruby/test_gc_compact.rb
    -ext-/string -ext-/test_printf.rb stringio strscan objspace
  ].freeze
  SPECS = %w[core/string core/io].freeze

  module_function

  # Runs the suites on the build in WORK and returns each test's result,
  # { "TestString#test_index" => "pass" }: pass, skip or fail.
  def suite(work)
    { **kept(work, "tests") { run_tests(work) }, **kept(work, "specs") { run_specs(work) } }
  end

  # The results of one suite, kept beside what was found out about the build's
  # tools, for all builds of the same source with the same tools.
  def kept(work, part)
    source = File.read(File.join(work, ".source"))
    file = File.join(found(work), "#{source == "base" ? "base" : "patched"}-#{part}.json")
    key = Digest::SHA256.hexdigest([source, TESTS, SPECS, File.read(__FILE__)].inspect)
    if File.exist?(file) && JSON.parse(File.read(file))["key"] == key
      $stderr.puts "#{part} on #{label(work)}: as of #{File.mtime(file).strftime("%F %T")} (kept: #{file})"
      return JSON.parse(File.read(file))["results"]
    end

    # names as they come back from JSON
    results = JSON.parse(JSON.generate(yield))
    File.write("#{file}.new", JSON.generate("key" => key, "results" => results))
    File.rename("#{file}.new", file)
    results
  end

  # The environment in which a build's ruby finds its library without being installed.
  def ruby_env(work)
    obj = File.join(work, "obj")
    arch = File.read(File.join(obj, "rbconfig.rb"))[/^\s*CONFIG\["arch"\] = "(.*)"/, 1]
    { "RUBYLIB" => [File.join(work, "src/lib"), File.join(obj, ".ext/common"), File.join(obj, ".ext", arch), obj].join(":"),
      "RUBYOPT" => nil, "RUBY" => ruby(work), "GEM_HOME" => nil, "GEM_PATH" => nil, "LC_ALL" => "C.UTF-8" }
  end

  # All of TESTS, or of them only those with these names.
  def run_tests(work, names = nil)
    log = File.join(work, "log/test-all#{"-again" if names}.log")
    only = names.to_a.flat_map { |name| ["-n", name] }
    tests = target_of(work) == "host" ? TESTS : [*TESTS, "-ext-/win32"]
    suite_step("CRuby's tests on #{label(work)}", log, work, "../src/test/runner.rb", "--ruby=#{own_name(work)}", "-v", "--tty=no", "--show-skip", *only,
               *tests.map { |t| "../src/test/#{t}" })
    output = File.read(log, encoding: "UTF-8").scrub
    raise Error, "CRuby's tests on #{label(work)} did not come to their end; see #{log}" unless output.match?(/^Finished tests in/)
    parse_tests(output)
  end

  def run_specs(work)
    doc = File.join(work, "log/spec.txt")
    FileUtils.rm_f(doc)
    suite_step("ruby/spec on #{label(work)}", File.join(work, "log/spec.log"), work,
               "../src/spec/mspec/bin/mspec-run", "-B", "../src/spec/default.mspec",
               "-f", "specdoc", "-o", "../log/spec.txt", *SPECS.map { |s| "../src/spec/ruby/#{s}" })
    parse_specs(File.read(doc, encoding: "UTF-8"))
  end

  # Of bootstraptest, all of its files but those of the JITs, which are not built,
  # or some, what failed: ["test_io.rb:34"].
  def run_bootstraptest(work, files = nil)
    files ||= Dir.glob("test_*.rb", base: File.join(work, "src/bootstraptest")).sort.grep_v(/jit/)
    log = File.join(work, "log/bootstraptest.log")
    suite_step("bootstraptest on #{label(work)}", log, work, "../src/bootstraptest/runner.rb", "--ruby=#{own_name(work)} --disable=gems",
               "-j#{Etc.nprocessors}", *files.map { |f| "../src/bootstraptest/#{f}" })
    output = File.read(log, encoding: "BINARY").scrub
    total = output[/^PASS all (\d+) tests/, 1] || output[%r{^FAIL \d+/(\d+) tests failed}, 1]
    raise Error, "bootstraptest on #{label(work)} did not come to its end; see #{log}" unless total.to_i.positive?

    output.scan(/^#\d+ (test_\w+\.rb:\d+):/).flatten.uniq
  end

  # What of bootstraptest fails on the patched build, twice, and not on the base.
  # It starts a Ruby for each of its tests, so the base is only asked about those.
  def bootstraptest_regressions(base_work, patched_work)
    failed = kept(patched_work, "bootstraptest") { run_bootstraptest(patched_work) }
    return [] if failed.empty?

    files = failed.map { |name| name[/\A[^:]+/] }.uniq
    failed & run_bootstraptest(patched_work, files) - run_bootstraptest(base_work, files)
  end

  def label(work)
    work.delete_prefix("#{build_dir}/")
  end

  # The environment and the command line that run a build's ruby.
  def launch(work, *args, env: {})
    target_of(work) == "host" ? [ruby_env(work).merge(env), ruby(work), *args] : wine(work, *args, env: env)
  end

  # What a build's ruby is called where it runs.
  def own_name(work)
    target_of(work) == "host" ? ruby(work) : path_in_wine(ruby(work))
  end

  def suite_step(title, log, work, *args)
    # mspec starts RUBY_EXE
    env, *cmd = launch(work, "--disable=gems", *args, env: { "RUBY_EXE" => own_name(work) })
    # the exit status counts failures, and the results tell more
    step(title, "timeout", "-k", "9", "1800", *cmd, log: log, env: env, chdir: File.join(work, "obj"), status: 0..123)
  end

  # From the verbose output of CRuby's test runner: a line for each test that
  # ended, and a numbered report for each that did not pass.
  def parse_tests(output)
    output = output.scrub.delete("\r")
    results = output.scan(/^\[ *\d+\/\d+\] (\S+#.+?) = [\d.]+ s/).to_h { |name,| [name, "pass"] }
    output.scan(/^ +\d+\) (Skipped|Failure|Error|Timeout):\n(.+)/) do |kind, line|
      results[line.sub(/(?: \[.*\])?:?\z/, "")] = kind == "Skipped" ? "skip" : "fail"
    end
    results
  end

  # From mspec's specdoc: a description, then a line for each example.
  def parse_specs(output)
    description = nil
    output.scrub.lines(chomp: true).each_with_object({}) do |line, results|
      if line =~ /\A- (.*?)( \((?:FAILED|ERROR) - \d+\))?\z/
        name = "#{description} #{$1}"
        results[name] = $2 || results[name] == "fail" ? "fail" : "pass"
      elsif line =~ /\A1\)\z|\AFinished in/
        break results
      elsif !line.empty?
        description = line
      end
    end
  end

  # Names of the tests that the series adds to CRuby's suite on a base.
  def added_tests(base)
    series(base).flat_map do |patch|
      File.read(patch.path).split(/^diff --git /).drop(1).flat_map do |diff|
        file = diff[%r{\Aa/(test/\S+)}, 1] or next []
        test_case = File.read(File.join(ROOT, file))[/^class (\S+)/, 1]
        diff.scan(/^\+  def (test_[^\s(]+)/).map { |method,| "#{test_case}##{method}" }
      end
    end
  end

  # What passes on the base and does not on the patched build: { name => its
  # result there }.  Some tests depend on the clock and fail on a busy machine;
  # what is broken fails three times more, and passes on the base again.
  def regressions(base_work, patched_work)
    found = broken(*[base_work, patched_work].map { |work| Thread.new { suite(work) } }.map(&:value))
    3.times do
      return {} if found.empty?

      results = again(patched_work, found.keys)
      found = found.reject { |name, _| results[name] == "pass" }
    end
    broken(again(base_work, found.keys), found)
  end

  # The results of tests and specs with these names, from another run.
  def again(work, names)
    tests, specs = names.partition { |name| name.match?(/\A[A-Z]\S*#/) && !name.include?(" ") }
    results = tests.empty? ? {} : run_tests(work, tests)
    results.merge!(run_specs(work)) unless specs.empty?
    results.slice(*names)
  end

  # What passes on base and does not on patched: { name => its result there }.
  def broken(base, patched)
    base.select { |name, result| result == "pass" && patched[name] != "pass" }
        .to_h { |name, _| [name, patched[name] || "missing"] }
  end
end
