# frozen_string_literal: true
# Measures everything, and writes it down.

require "time"
require_relative "gems"
require_relative "instructions"
require_relative "verdict"
require_relative "discussion"
require_relative "tables"
require_relative "pictures"

module Linesplit
  module_function

  # Runs all and returns the lines to print.
  def evidence(opt, dir)
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    variants, about = opt[:rubies].empty? ? built(opt, dir) : given(opt)
    result = about.merge("quick" => !!opt[:quick], "rounds" => opt[:rounds], "variants" => variants.keys - FROZEN.keys,
                         **measure_all(variants, opt))
    result["verdict"] = verdict(result["counts"], result["memory"], opt[:quick] ? {} : too_slow(result))
    result["thread"] = thread_figures(result)
    result["seconds"] = (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start).round

    stem = File.join(results_dir, ["evidence", "host", result["source"], *("quick" if opt[:quick])].join("-"))
    File.write("#{stem}.json", JSON.generate(result))
    pictures = draw(result, stem)
    File.write("#{stem}.md", report(result, pictures.map { |f| File.basename(f) }))
    [*summary(result), "", "tables    #{stem}.md", "figures   #{stem}.json", *pictures.grep(/png\z/).map { |f| "picture   #{f}" }]
  end

  # Variants that copy from frozen and shared sources too, as was first proposed
  # upstream: for the figures of the discussion, not candidates.
  FROZEN = { "256, frozen too" => 256, "none, frozen too" => NO_CUTOFF }.freeze

  def built(opt, dir)
    source = base_source(base: opt[:base], dir: dir)
    _, version = identify(source)
    asked = opt[:cutoffs] || (opt[:quick] ? %w[128 160 256 none] : %w[128 160 256 320 none])
    # there the base has the cutoff of 256 bytes, and 320 is no slot
    asked -= %w[256 320] if version == "4.1" && !opt[:cutoffs]
    cutoffs = asked.map { |c| c == "none" ? NO_CUTOFF : Integer(c, exception: false) || raise(Error, "--cutoffs: #{c} is neither a number nor none") }
    base, patched, list = variants(source, cutoffs: cutoffs)
    FROZEN.each { |name, cutoff| list[name] = variant(name, with_cutoff(patched, cutoff, frozen: true), cutoff) } unless opt[:quick]
    [list, provenance(base, patched).merge("version" => version, "own_cutoff" => File.read(File.join(patched, "src/string.c"))[CUTOFF, 1])]
  end

  # The Rubies that the command line names.
  def given(opt)
    list = opt[:rubies].each_with_index.to_h do |text, i|
      name, command = text.split("=", 2)
      raise Error, "--ruby #{text}: give NAME=COMMAND" if command.to_s.empty?

      name = "base" if i.zero?
      [name, Variant.new(name: name, command: [*command.shellsplit, "-W0"], env: { "RUBYOPT" => nil })]
    end
    raise Error, "give --ruby twice at least: the base and what is compared with it" if list.size < 2

    version = ->(v) { capture!(*v.command, "-e", "puts RUBY_DESCRIPTION").chomp }
    base = version[list["base"]]
    source = opt[:rubies].map { |text| text.split("=", 2)[0].gsub(/\W/, "_") }.join("-")
    [list, { "base" => base, "patched" => version[list.values[1]], "source" => source, "series" => nil, "compiler" => nil,
             "version" => base[/\d+\.\d+/], "machine" => machine, "time" => Time.now.utc.iso8601 }]
  end

  def measure_all(variants, opt)
    quick = opt[:quick] ? ["--quick"] : []
    candidates = variants.values.reject { |v| FROZEN.key?(v.name) }
    each = lambda do |what, list = candidates, &block|
      progress(what) { in_parallel(list, &block).transform_keys(&:name) }
    end
    result = {}
    result["counts"] = each.("objects by length") { |v| measured(v, "count.rb") }
    result["memory"] = each.("retained memory") { |v| measured(v, "memory.rb", *quick) }
    result["instructions"] = each.("instructions", candidates.values_at(0, candidates.index { |v| v.cutoff.to_s == "160" } || 1)) do |v|
      instructions(v)
    end
    result["cover"] = progress("what a cutoff covers") { measured(candidates[0], "cover.rb") }
    dir = begin
      gems(candidates[0])
    rescue Error => e
      warn "#{e.message}\nThe gems were not to be had: of the parsers, only those that come with Ruby are measured."
    end
    result["slots"] = progress("slots") { measured(candidates[0], "slots.rb", *quick) }
    slices = Hash.new { |h, k| h[k] = [] }
    parsers = Hash.new { |h, k| h[k] = [] }
    opt[:rounds].times do |round|
      progress("round #{round + 1} of #{opt[:rounds]}") do
        # in another order each time, so that none always runs after the same one
        variants.values.shuffle(random: Random.new(round)).each do |v|
          slices[v.name] << measured(v, "slice.rb", *quick, *(["--only", "frozen"] if FROZEN.key?(v.name)))["rows"]
          parsers[v.name] << measured(v, "parsers.rb", *quick, *(["--gems", dir] if dir)) unless FROZEN.key?(v.name)
        end
      end
    end
    result.merge("slices" => merge_slices(slices), "parsers" => merge_parsers(parsers))
  end

  # One row a case: each variant's figures of all rounds.
  def merge_slices(slices)
    slices.each_with_object({}) do |(name, rounds), rows|
      rounds.flatten.each do |row|
        key = row.values_at("source", "encoding", "use", "length")
        merged = rows[key] ||= { **row.slice("source", "encoding", "use", "length"), "variants" => {} }
        figures = merged["variants"][name] ||= { "ns" => [], "with_source_ns" => [], "objects" => row["objects"], "gc_runs" => [] }
        %w[ns with_source_ns gc_runs].each { |f| figures[f] << row[f] }
      end
    end.values
  end

  def merge_parsers(parsers)
    rows = {}
    failed = {}
    parsers.each do |name, rounds|
      rounds.each do |round|
        failed.merge!(round["failed"])
        round["rows"].each do |row|
          merged = rows[row["parser"]] ||= { **row.slice("parser", "loaded"), "variants" => {} }
          figures = merged["variants"][name] ||= { **row.slice("objects", "answer", "lengths"), "us" => [], "gc_runs" => [] }
          figures["objects"] = [figures["objects"], row["objects"]].min
          %w[us gc_runs].each { |f| figures[f] << row[f] }
        end
      end
    end
    { "rows" => rows.values, "failed" => failed }
  end

  # How many times faster than the base: best against best, and the lowest and
  # highest of single rounds.
  def faster(variants, name, unit)
    base, other = [variants["base"], variants[name]].map { |figures| figures[unit] }
    rounds = base.zip(other).map { |b, o| b / o }
    { "ratio" => base.min / other.min, "low" => rounds.min, "high" => rounds.max }
  end

  def progress(what)
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    $stderr.print "#{what} …"
    yield.tap { $stderr.puts " #{duration(Process.clock_gettime(Process::CLOCK_MONOTONIC) - start)}" }
  end
end
