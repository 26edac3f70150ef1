# frozen_string_literal: true
# The Rubies that are compared: the base, the series, and the series with other
# cutoffs, which differ from it in string.o alone.

require_relative "../compare"

module Linesplit
  # A Ruby to measure: command and environment.  cutoff is the slot size in bytes
  # up to which it copies, nil where that is not known.
  Variant = Struct.new(:name, :command, :env, :cutoff, :work, keyword_init: true)

  CUTOFF = /^#define STR_SUBSEQ_MAX_EMBED_SIZE (\d+)$/
  NO_CUTOFF = 1_000_000

  module_function

  # [base and patched build, { name => Variant }].  On 4.1 the optional patch gives
  # str_subseq a cutoff of its own, and the base is what upstream has.
  def variants(source, cutoffs:)
    _, version = identify(source)
    base = work(source)
    patched = work(patched_source(source, with: version == "4.1" ? ["cutoff"] : []))
    [base, patched].each { |w| build(w) }
    own = File.read(File.join(patched, "src/string.c"))[CUTOFF, 1] or
      raise Error, "the patched string.c of CRuby #{version} has no STR_SUBSEQ_MAX_EMBED_SIZE"
    list = [variant("base", base, nil)]
    cutoffs.each do |cutoff|
      list << if cutoff.to_s == own
                variant(cutoff.to_s, patched, cutoff)
              else
                variant(cutoff == NO_CUTOFF ? "none" : cutoff.to_s, with_cutoff(patched, cutoff), cutoff)
              end
    end
    [base, patched, list.to_h { |v| [v.name, v] }]
  end

  def variant(name, work, cutoff)
    Variant.new(name: name, command: [ruby(work), "--disable=gems", "-W0"], env: ruby_env(work), cutoff: cutoff, work: work)
  end

  # A build like the patched one with another cutoff, where frozen: for frozen and
  # shared sources too.
  def with_cutoff(patched, cutoff, frozen: false)
    name = ["cutoff", cutoff == NO_CUTOFF ? "none" : cutoff, *("frozen" if frozen)].join("-")
    with_source(patched, name, "string.c", cutoff_source(File.read(File.join(patched, "src/string.c")), cutoff, frozen))
  end

  def cutoff_source(text, cutoff, frozen)
    text = text.sub(CUTOFF, "#define STR_SUBSEQ_MAX_EMBED_SIZE #{cutoff}")
    return text unless frozen

    text.sub("!FL_ANY_RAW(str, FL_FREEZE | STR_SHARED)", "true")
        .sub(/^    const bool root_available = [^;]*;/, "    const bool root_available = false;").tap do |changed|
      raise Error, "str_subseq does not ask for frozen and shared sources any more as it did" if changed == text
    end
  end

  # Runs one of benchmark/evidence/ on a variant and returns what it measured.
  def measured(variant, program, *args, prefix: [], env: {})
    out, err, status = Open3.capture3(variant.env.merge(env), *prefix, *variant.command,
                                      File.join(ROOT, "benchmark/evidence", program), "--json", *args)
    unless status.success?
      raise Error, "#{program} failed on #{variant.name} (#{variant.command[0]}):\n#{err.scrub.lines.last(15).join.gsub(/^/, "  | ")}"
    end

    JSON.parse(out)
  end

  # Calls the block for each item, two at a time where there are two processors.
  def in_parallel(items)
    queue = Queue.new
    items.each { |item| queue << item }
    results = {}
    threads = Array.new([Etc.nprocessors, 2].min) do
      Thread.new do
        Thread.current.report_on_exception = false
        loop do
          item = begin
            queue.pop(true)
          rescue ThreadError
            break
          end
          results[item] = yield(item)
        end
      end
    end
    threads.each(&:join)
    items.to_h { |item| [item, results[item]] }
  end
end
