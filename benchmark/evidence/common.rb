# frozen_string_literal: true
# What the programs here share: their options, a clock, and how they print.

require "json"
require "optparse"

module Evidence
  module_function

  # Parses the command line; the block adds a program's own options.
  def options(usage, **opt)
    parser = OptionParser.new("usage: ruby #{File.basename($PROGRAM_NAME)} [options]\n\n#{usage}\n") do |o|
      o.on("--json", "print JSON instead of a table") { opt[:json] = true }
      o.on("--quick", "fewer cases and iterations") { opt[:quick] = true }
      yield o, opt if block_given?
    end
    parser.parse!
    abort "#{File.basename($PROGRAM_NAME)}: what is #{ARGV.join(" ")}?; see --help" unless ARGV.empty? || opt[:files]
    opt
  rescue OptionParser::ParseError => e
    abort "#{File.basename($PROGRAM_NAME)}: #{e.message}; see --help"
  end

  # Nanoseconds of CPU that the block took, GC included: on a machine with other
  # work, wall clock time measures that work.
  def cpu
    start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    yield
    (Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start) * 1e9
  end

  # Nanoseconds, objects allocated and GC runs of the block.
  def measure(&block)
    objects = GC.stat(:total_allocated_objects)
    runs = GC.count
    ns = cpu(&block)
    { "ns" => ns, "objects" => GC.stat(:total_allocated_objects) - objects, "gc_runs" => GC.count - runs }
  end

  def chilled_literals?
    RUBY_VERSION >= "3.4"
  end

  # Prints what was measured, an array of hashes with the same keys.
  def report(rows, opt, **more)
    return puts JSON.generate({ "ruby" => RUBY_DESCRIPTION, **more.transform_keys(&:to_s), "rows" => rows }) if opt[:json]

    puts RUBY_DESCRIPTION, *more.map { |name, value| "#{name}: #{value.is_a?(String) ? value : JSON.generate(value)}" }
    cells = [rows.first.keys, *rows.map { |row| row.values.map { |v| v.is_a?(Float) ? format("%.2f", v) : v.to_s } }]
    widths = cells.transpose.map { |column| column.map(&:size).max }
    cells.each { |row| puts row.zip(widths).map { |cell, width| cell.rjust(width) }.join("  ") }
  end
end
