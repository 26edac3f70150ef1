# Real parsers, as their gems have them, on lines of this project's own: objects
# allocated, time, and the answer.

require "digest"
require "stringio"
require_relative "common"
require_relative "corpus"

opt = Evidence.options(<<~USAGE) do |o, opt|
  Runs code of fluentd (LTSV parser, in_tail's line splitter), net-http, csv, rack
  and protocol-http1 (the control: it allocates no root that a copy could save).
  "objects" is for one pass over the lines, "lengths" for one value of 1 to 300 bytes.
USAGE
  o.on("--gems DIR", "where they are installed (gem install --install-dir DIR)") { |v| opt[:gems] = v }
  o.on("--only NAME", "one of them") { |v| opt[:only] = v }
end

# by hand, so that no other version is picked: an older default gem, say
if opt[:gems]
  paths = Dir.glob(["gems/*/lib", "gems/concurrent-ruby-*/lib/concurrent-ruby", "extensions/*/*/*"], base: opt[:gems])
  $LOAD_PATH.unshift(*paths.map { |path| File.join(File.expand_path(opt[:gems]), path) })
end

def require_gem(gem, file)
  require file
  found = $LOADED_FEATURES.find { |f| f.end_with?("/#{file}.rb") }
  found[%r{/gems/(#{gem}-[^/]+)/}, 1] || "#{gem} of this Ruby"
end

# Makes require take a file of fluentd for loaded.
def stand_in(file)
  Object.const_set(:Fluent, Module.new) unless defined?(Fluent)
  $LOAD_PATH.each { |dir| path = File.join(dir, "#{file}.rb"); $LOADED_FEATURES << path if File.exist?(path) }
end

# Each returns [what was loaded, a lambda over all lines, one over a value of n
# bytes].  What a lambda is given is made anew: parsers may freeze their input.
PARSERS = {
  "ltsv" => lambda do
    # the plugin base asks the engine which worker this is; nothing else of it is
    # needed, and it would pull in all of fluentd
    stand_in("fluent/engine")
    config = Struct.new(:workers, :strict_config_value).new
    Fluent.const_set(:Engine, Struct.new(:worker_id, :supervisor_mode, :system_config).new(0, false, config))
    name = require_gem("fluentd", "fluent/plugin/parser_ltsv")
    parser = Fluent::Plugin::LabeledTSVParser.new
    parser.configure(Fluent::Config::Element.new("ROOT", "", { "keep_time_key" => "true", "time_type" => "string", "time_format" => "%d/%b/%Y:%H:%M:%S %z" }, []))
    lines = Corpus.ltsv
    one = Fluent::Plugin::LabeledTSVParser.new
    one.configure(Fluent::Config::Element.new("ROOT", "", {}, []))
    [name, [-> { lines.map(&:dup) }, ->(input) { input.map { |line| record = nil; parser.parse(line) { |_, r| record = r }; record } }],
     [->(n) { "key:#{"v" * n}\tend:1" }, ->(line) { record = nil; one.parse(line) { |_, r| record = r }; record["key"] }]]
  end,
  "net-http" => lambda do
    name = require_gem("net-http", "net/http")
    text = Corpus.headers.map { |lines| lines.join("\r\n") + "\r\n\r\n" }
    io = ->(string) { Net::BufferedIO.new(StringIO.new(string)) }
    [name, [-> { text.map { |t| io[t.dup] } }, ->(input) { input.map { |i| Net::HTTPResponse.read_new(i).to_hash } }],
     [->(n) { io["HTTP/1.1 200 OK\r\nKey: #{"v" * n}\r\n\r\n"] }, ->(i) { Net::HTTPResponse.read_new(i)["Key"] }]]
  end,
  "csv" => lambda do
    name = require_gem("csv", "csv")
    text = Corpus.csv.join("\n") + "\n"
    [name, [-> { text.dup }, ->(input) { CSV.parse(input) }],
     [->(n) { "a,#{"v" * n}\n" }, ->(line) { CSV.parse_line(line)[1] }]]
  end,
  "rack" => lambda do
    name = require_gem("rack", "rack/utils")
    lines = Corpus.queries
    [name, [-> { lines.map(&:dup) }, ->(input) { input.map { |q| Rack::Utils.parse_query(q) } }],
     [->(n) { "key=#{"v" * n}&end=1" }, ->(q) { Rack::Utils.parse_query(q)["key"] }]]
  end,
  "protocol-http1" => lambda do
    name = require_gem("protocol-http1", "protocol/http1/connection")
    text = Corpus.headers.map { |lines| lines.drop(1).join("\r\n") + "\r\n\r\n" }
    connection = ->(string) { Protocol::HTTP1::Connection.new(StringIO.new(string)) }
    [name, [-> { text.map { |t| connection[t.dup] } }, ->(input) { input.map { |c| c.read_headers.fields } }],
     [->(n) { connection["key: #{"v" * n}\r\n\r\n"] }, ->(c) { c.read_headers.fields[0][1] }]]
  end,
  "in_tail" => lambda do
    # the splitter is a class of its own, inside one that inherits from the plugin base
    stand_in("fluent/plugin/input")
    Fluent.const_set(:Plugin, Module.new) unless defined?(Fluent::Plugin)
    Fluent::Plugin.const_set(:Input, Class.new)
    name = require_gem("fluentd", "fluent/plugin/in_tail/io_handler")
    text = (Corpus.app_log.join("\n") + "\n").b
    chunks = text.scan(/.{1,8192}/mn)
    fifo = -> { Fluent::Plugin::TailInput::TailWatcher::FIFO.new(Encoding::BINARY, nil) }
    [name, [-> { [fifo.call, chunks.map(&:dup)] },
            ->(input) { input[1].each_with_object([]) { |chunk, lines| input[0] << chunk; input[0].read_lines(lines) } }],
     [->(n) { fifo.call.tap { |f| f << "#{"v" * (n - 1)}\nrest".b } }, ->(f) { lines = []; f.read_lines(lines); lines[0] }]]
  end,
}

def objects_of(make, parse)
  input = make.call
  before = GC.stat(:total_allocated_objects)
  answer = parse.call(input)
  [GC.stat(:total_allocated_objects) - before, answer]
end

failed = {}
rows = PARSERS.filter_map do |name, load|
  next if opt[:only] && opt[:only] != name

  begin
    loaded, (make, parse), (make_one, parse_one) = load.call
  rescue LoadError, StandardError => e
    failed[name] = "not measured: #{e.message.lines.first.chomp} (#{e.class})"
    next
  end

  # the least of a few: the first passes fill inline caches
  objects, answer = Array.new(5) { objects_of(make, parse) }.min_by(&:first)
  3.times { parse_one.call(make_one.call(10)) }
  lengths = (1..300).map do |n|
    count, value = objects_of(-> { make_one.call(n) }, parse_one)
    raise "#{name}: a value of #{n} bytes came back as #{value.inspect}" unless value.to_s.chomp.bytesize == (name == "in_tail" ? n - 1 : n)

    count
  end
  passes = opt[:quick] ? 3 : 12
  inputs = Array.new(passes) { make.call }
  GC.start
  timed = Evidence.measure { inputs.each { |input| parse.call(input) } }
  { "parser" => name, "loaded" => loaded, "objects" => objects, "us" => timed["ns"] / passes / 1e3, "gc_runs" => timed["gc_runs"],
    "answer" => Digest::SHA256.hexdigest(answer.inspect)[0, 16], "lengths" => lengths }
end
unless opt[:json]
  rows.each { |row| row["lengths"] = row["lengths"].each_with_index.chunk_while { |a, b| a[0] == b[0] }.map { |run| "#{run[0][1] + 1}-#{run[-1][1] + 1}:#{run[0][0]}" }.join(" ") }
  failed.each { |name, why| puts "#{name}: #{why}" }
end
if rows.empty?
  opt[:json] ? Evidence.report([], opt, failed: failed) : abort("none of the gems could be loaded")
else
  Evidence.report(rows, opt, **(opt[:json] ? { failed: failed } : {}))
end
