# frozen_string_literal: true
# License: Ruby's
#
# The Ruby-level table of Feature #22463, for any two Rubies or more:
#
#   ruby benchmark/lines.rb base=C:/old/bin/ruby.exe patched=C:/new/bin/ruby.exe
#
# Needs no gem and no build.  Every Ruby is started once and then asked for one
# operation after the other in turn, so that all of them see the same weather;
# each answer is checked.  See --help.

module Lines
  # name, bytes gone through, the answer, and what is timed
  Operation = Struct.new(:name, :bytes, :expected, :code)

  module_function

  # The operations on MB megabytes, and on a file of FILE_MB at PATH.
  def operations(mb, file_mb, path)
    size = mb << 20
    line = "x".b * 1023 << "\n"
    kilo = (line * (size >> 10)).freeze
    short = (("x".b * 15 << "\n") * (size >> 4)).freeze
    pairs = ("key:".b << "x" * 123 << "\n") * (size >> 7)
    File.open(path, "wb") { |f| (file_mb << 10).times { f.write(line) } }
    File.open(path, "rb") { |f| nil while f.read(1 << 20) } # into the page cache
    [
      [%(String#index("\\n"), 1 KB lines), size, size >> 10, -> { count_index(kilo, "\n") }],
      [%(String#index("\\n"), 16 B lines), size, size >> 4, -> { count_index(short, "\n") }],
      [%(String#index("z"), no match), size, 0, -> { count_index(kilo, "z") }],
      ["String#each_line, 1 KB lines", size, size >> 10, -> { n = 0; kilo.each_line { n += 1 }; n }],
      [%(String#split("\\n"), 1 KB lines), size, size >> 10, -> { kilo.split("\n").size }],
      [%(String#split(":", 2) of 128 B lines), size, (size >> 7) * 123,
       -> { n = 0; pairs.each_line(chomp: true) { |l| n += l.split(":", 2)[1].size }; n }],
      ["IO#each_line, 1 KB lines", file_mb << 20, file_mb << 10,
       -> { n = 0; File.open(path, "rb") { |f| f.each_line { n += 1 } }; n }],
      ["String#index(/\\n/), 1 KB lines (control)", size, size >> 10, -> { count_index(kilo, /\n/) }],
      ["IO#read, 1 MB chunks (control)", file_mb << 20, file_mb << 20,
       -> { n = 0; File.open(path, "rb") { |f| while s = f.read(1 << 20) do n += s.size end }; n }],
    ].map { |fields| Operation.new(*fields) }
  end

  def count_index(string, needle)
    n = pos = 0
    while pos = string.index(needle, pos)
      n += 1
      pos += 1
    end
    n
  end

  # Seconds by the clock, and of CPU time in user mode, that the operation took;
  # raises when its answer is wrong.
  def run(operation)
    GC.start
    wall, cpu = now
    answer = operation.code.call
    times = now.zip([wall, cpu]).map { |after, before| after - before }
    answer == operation.expected or
      raise "#{operation.name} answered #{answer.inspect}, not #{operation.expected}, in #{RUBY_DESCRIPTION}"
    times
  end

  # Windows has no clock for user time, but counts it.
  def now
    cpu = Process.times
    [Process.clock_gettime(Process::CLOCK_MONOTONIC), cpu.utime]
  end

  # { operation => { who => [[wall, cpu] of each round] } } for WHO, by asking
  # the block for the times of one operation (by index) of one of them.
  def rounds(names, who, rounds)
    results = names.to_h { |name| [name, who.to_h { |w| [w, []] }] }
    rounds.times do |round|
      names.each_with_index do |name, i|
        order = round.even? ? who : who.reverse
        order.each { |w| results[name][w] << yield(w, i) }
      end
      $stderr.print "\rround #{round + 1} of #{rounds}" if $stderr.tty?
    end
    $stderr.puts if $stderr.tty?
    results
  end

  # What is shown of them, { row => { who => [seconds of each round] } }: the clock.
  # For each 8 KB read, Wine asks its server, another process, many times: to make,
  # set, wait for and close two events, for one.  So where lines are read from a
  # file, the clock shows how soon the two get their turns, which varies fourfold;
  # user time is Ruby's own.
  def rows(results)
    results.flat_map do |name, times|
      clock, user = [0, 1].map { |which| times.transform_values { |rounds| rounds.map { |t| t[which] } } }
      name.start_with?("IO#each_line") ? [[name, clock], ["#{name}, user time", user]] : [[name, clock]]
    end.to_h
  end

  # How many bytes each row goes through, given those of the operations.
  def bytes(rows, plan)
    rows.to_h { |row, _| [row, plan[row.delete_suffix(", user time")]] }
  end

  # GB/s of the best round of each, and how many times the first one's speed:
  # of the best rounds, and the lowest and highest of single rounds.
  def table(rows, bytes, who)
    cells = [["", *who]] + rows.map { |row, seconds| [row, *cells(seconds, bytes[row], who)] }
    widths = cells.transpose.map { |column| column.map(&:size).max }
    puts "GB/s, best round, and ratio to #{who[0]} (lowest-highest of a round):", ""
    cells.each { |label, *rest| puts [label.ljust(widths[0]), *rest.zip(widths.drop(1)).map { |c, w| c.rjust(w) }].join("  ") }
  end

  def cells(seconds, bytes, who)
    first = seconds[who[0]]
    who.map do |w|
      speed = format("%.2f", bytes / seconds[w].min / 1e9)
      next speed if w == who[0]

      ratios = first.zip(seconds[w]).map { |a, b| a / b }
      format("%s %6.2f (%.2f-%.2f)", speed, first.min / seconds[w].min, *ratios.minmax)
    end
  end

  # The child's side: says what it is, then answers the number of an operation
  # with its two times.
  def serve(mb, file_mb)
    require "tmpdir"
    Dir.mktmpdir do |dir|
      list = operations(mb, file_mb, File.join(dir, "lines"))
      $stdout.sync = true
      puts RUBY_DESCRIPTION
      while line = $stdin.gets
        puts run(list[line.to_i]).join(" ")
      end
    end
  end
end

if $PROGRAM_NAME == __FILE__
  if ARGV[0] == "--serve"
    Lines.serve(*ARGV[1..].map { |arg| Integer(arg) })
    exit
  end

  require "optparse"
  require "shellwords"
  require "tmpdir"

  opt = { mb: 64, file_mb: 32, rounds: 15 }
  OptionParser.new(<<~USAGE) do |o|
    usage: ruby benchmark/lines.rb [options] [NAME=]RUBY [NAME=]RUBY...

    Compares Rubies in searching and splitting lines.  RUBY is a path, or a command
    with arguments; the first one is what the others are compared with.  One Ruby
    alone is fine too.
  USAGE
    o.on("--rounds N", Integer, "rounds (#{opt[:rounds]})") { |v| opt[:rounds] = v }
    o.on("--mb N", Integer, "megabytes of the strings (#{opt[:mb]})") { |v| opt[:mb] = v }
    o.on("--file-mb N", Integer, "megabytes of the file (#{opt[:file_mb]})") { |v| opt[:file_mb] = v }
    o.on("--quick", "3 rounds over 16 MB") { opt.update(mb: 16, file_mb: 16, rounds: 3) }
    o.on("--json FILE", "write all rounds there") { |v| opt[:json] = v }
  end.parse!
  abort "lines.rb: which Rubies? See --help" if ARGV.empty?

  rubies = ARGV.each_with_index.to_h do |arg, i|
    name, command = arg.match(/\A(?:([\w.+-]+)=)?(.*)\z/m).captures
    words = File.file?(command) ? [command] : Shellwords.split(command)
    # the child starts in this directory
    words.map! { |word| File.exist?(word) ? File.expand_path(word) : word }
    [name || "ruby #{i + 1}", words]
  end
  abort "lines.rb: two Rubies have the same name" if rubies.size < ARGV.size

  descriptions = {}
  children = rubies.to_h do |name, command|
    io = begin
      IO.popen([*command, File.basename(__FILE__), "--serve", opt[:mb].to_s, opt[:file_mb].to_s], "r+", chdir: __dir__)
    rescue SystemCallError => e
      abort "lines.rb: #{name} is no Ruby that can be run: #{e.message}"
    end
    description = io.gets or abort "lines.rb: #{name} (#{command.join(" ")}) did not start"
    puts "#{name}: #{descriptions[name] = description.chomp}"
    [name, io]
  end
  plan = Dir.mktmpdir { |dir| Lines.operations(1, 1, File.join(dir, "lines")) }.map do |operation|
    file = operation.name.start_with?("IO")
    [operation.name, operation.bytes * (file ? opt[:file_mb] : opt[:mb])]
  end.to_h

  results = Lines.rounds(plan.keys, rubies.keys, opt[:rounds]) do |name, i|
    children[name].puts(i)
    answer = children[name].gets or abort "lines.rb: #{name} gave up at #{plan.keys[i]}"
    answer.split.map(&:to_f)
  end
  children.each_value(&:close)
  rows = Lines.rows(results)
  bytes = Lines.bytes(rows, plan)
  puts
  Lines.table(rows, bytes, rubies.keys)
  if opt[:json]
    require "json"
    File.write(opt[:json], JSON.pretty_generate("time" => Time.now.to_s, "rubies" => descriptions, "mb" => opt[:mb], "file_mb" => opt[:file_mb],
                                                "bytes" => bytes, "seconds" => rows))
  end
end
