# frozen_string_literal: true
# CRuby's `make benchmark` on two builds, in interleaved rounds.

require "time"
require_relative "suite"

module Linesplit
  BENCHMARKS = Dir.glob(File.join(ROOT, "benchmark/*.yml")).map { |f| File.basename(f) }.sort.freeze

  module_function

  # A git repository of the benchmark_driver gem with the tag that the tree's
  # Makefile asks for, to serve as the one that `make benchmark` clones.
  def benchmark_driver(tree)
    tag = File.read(File.join(tree, "common.mk"))[/^BENCHMARK_DRIVER_GIT_REF = (\S+)/, 1]
    repo = File.join(cache_dir, "benchmark-driver-#{tag}")
    return [repo, tag] if File.directory?(repo)

    FileUtils.mkdir_p(cache_dir)
    Dir.mktmpdir("gem", cache_dir) do |tmp|
      capture!("gem", "fetch", "benchmark_driver", "--version", tag.delete_prefix("v"), chdir: tmp)
      capture!("gem", "unpack", *Dir.children(tmp), chdir: tmp)
      dir = Dir.glob("#{tmp}/*/").first.chomp("/")
      capture!("git", "init", "-q", chdir: dir)
      capture!("git", "add", "-A", "-f", chdir: dir)
      capture!("git", "-c", "user.name=ruby-linesplit", "-c", "user.email=ruby-linesplit@example.org",
               "commit", "-q", "-m", tag, chdir: dir)
      capture!("git", "tag", tag, chdir: dir)
      File.rename(dir, repo)
    end
    [repo, tag]
  end

  # The command line of a build's ruby, usable from another directory.
  def command(work)
    [ruby(work), *ruby_env(work)["RUBYLIB"].split(":").map { |dir| "-I#{dir}" }].shelljoin
  end

  # Runs the benchmark files in rounds, base and patched alternating within each,
  # and returns { job => { "base" => [i/s of each round], "patched" => [...] } }.
  def benchmark(base, patched, files: BENCHMARKS, rounds: 5, duration: 0.5, filter: nil)
    repo, tag = benchmark_driver(File.join(patched, "src"))
    obj = File.join(patched, "obj")
    record = File.join(obj, "benchmark_driver.record.yml")
    jobs = Hash.new { |h, job| h[job] = { "base" => [], "patched" => [] } }
    rounds.times do |round|
      FileUtils.rm_f(record)
      step("make benchmark, round #{round + 1} of #{rounds}", "make", "benchmark",
           "BASERUBY=#{RbConfig.ruby}", "COMPARE_RUBY=#{command(base)}",
           "BENCHMARK_DRIVER_GIT_URL=#{repo}", "BENCHMARK_DRIVER_GIT_REF=#{tag}",
           "ARGS=#{files.map { |f| "../src/benchmark/#{f}" }.join(" ")}",
           "BENCH_OPTS=--output=record -v", "OPTS=--run-duration=#{duration}#{" --filter=#{filter.shellescape.gsub("$", "$$")}" if filter}",
           log: File.join(patched, "log/benchmark.log"), env: ccache_env, chdir: obj)
      read_record(record, File.join(obj, "../src/benchmark/benchmark-driver/lib")).each do |job, values|
        values.each { |name, value| jobs[job][name == "compare-ruby" ? "base" : "patched"] << value }
      end
    end
    jobs
  end

  # benchmark_driver's record, which holds objects of its own, as plain values.
  def read_record(file, lib)
    script = <<~'RUBY'
      require "benchmark_driver"; require "yaml"; require "json"
      job = ->(h) { h.to_h { |j, warmup| [j.name, warmup[false].to_h { |context, r| [context.name, r.values.values.first] }] } }
      record = YAML.respond_to?(:unsafe_load) ? YAML.unsafe_load(File.read(ARGV[0])) : YAML.load(File.read(ARGV[0]))
      puts JSON.generate(job[record["job_warmup_context_result"]])
    RUBY
    JSON.parse(capture!(RbConfig.ruby, "-I", lib, "-e", script, file))
  end

  # Best of all rounds against best of all rounds, and the lowest and highest
  # ratio of one round.
  def ratio(values)
    rounds = values["patched"].zip(values["base"]).map { |p, b| p / b }
    { "ratio" => values["patched"].max / values["base"].max, "low" => rounds.min, "high" => rounds.max }
  end

  def machine
    cpu = File.read("/proc/cpuinfo")[/^model name\s*: (.*)/, 1] if File.exist?("/proc/cpuinfo")
    os = File.read("/etc/os-release")[/^PRETTY_NAME="(.*)"/, 1] if File.exist?("/etc/os-release")
    { "cpu" => cpu || RbConfig::CONFIG["host_cpu"], "cores" => Etc.nprocessors, "os" => os || RbConfig::CONFIG["host_os"] }
  end

  # What a result needs to be read later: which builds, made of what, where, when.
  def provenance(base, patched)
    make = File.read(File.join(patched, "obj/Makefile")).scan(/^(CC|CC_VERSION) = (.*)/).to_h
    compiler = make["CC_VERSION"].to_s.sub("$(CC)", make["CC"].to_s)
    { "base" => capture!(*launch(base, "-v")).chomp, "patched" => capture!(*launch(patched, "-v")).chomp,
      "source" => File.basename(File.dirname(base)), "series" => File.read(File.join(patched, ".source"))[0, 12],
      "compiler" => (capture(*build_command(target_of(base), "sh", "-c", "#{compiler} 2>&1")) || "").lines.grep(/version|\bgcc\b/).first.to_s.strip,
      "machine" => machine, "time" => Time.now.utc.iso8601 }
  end

  def table(rows, head)
    widths = [head, *rows].transpose.map { |column| column.map { |cell| cell.to_s.size }.max }
    [head, widths.map { |w| "-" * w }, *rows].map do |row|
      row.each_with_index.map { |cell, i| i == 0 ? cell.to_s.ljust(widths[i]) : cell.to_s.rjust(widths[i]) }.join("  ").rstrip
    end
  end

  def si(value)
    [[1e9, "G"], [1e6, "M"], [1e3, "k"]].each { |n, unit| return format("%.2f%s", value / n, unit) if value >= n }
    format("%.2f", value)
  end
end
