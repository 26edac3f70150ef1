# frozen_string_literal: true
# Which cutoff the figures support.  Counts and memory decide, and a time only
# where it is worse in every round and by far, so that two runs agree.

module Linesplit
  # A retained slice may take at most so many times what it takes on the base: a
  # slot of 160 bytes for one of 40.
  RETAINED = 4.0
  # For what memsize_of_all counts of the measuring program itself.
  TOLERANCE = 1.01
  # What runs at less than this in every round is slower.
  SLOWER = 0.9

  RULES = {
    "objects" => "No slice of any length, source or encoding allocates more objects than on the base.",
    "dropped" => "With its source dropped, a retained slice never takes more memory than on the base.",
    "retained" => "With its source retained, it takes at most #{RETAINED.to_i} times that.",
    "slower" => "No slice that it changes runs slower than on the base by a tenth in every round, and in the best ones beyond " \
                "the noise of the run (left out by --quick, whose rounds are too few; what is kept is judged by its memory, " \
                "since its time is that of growing the heap).",
    "most" => "Of the cutoffs that keep all four, the one that saves an object at the most lengths; " \
              "where none saves any, the base stays as it is.",
  }.freeze

  module_function

  # What count.rb measured, as { [source, encoding, length] => objects }.
  def objects(counts)
    counts["rows"].each_with_object({}) do |row, h|
      step = { "UTF-16LE" => 2, "UTF-32LE" => 4 }.fetch(row["encoding"], 1)
      row["from"].step(row["to"], step) { |n| h[[row["source"], row["encoding"], n]] = row["objects"] }
    end
  end

  def by_case(memory)
    memory["rows"].to_h { |row| [[row["case"], row["length"]], row["bytes"]] }
  end

  # The worst ratio to the base over all lengths of the cases given, and the first
  # length that has it.
  def worst(memory, base, cases)
    base = by_case(base)
    by_case(memory).select { |(kind, _), _| cases.include?(kind) }
                   .map { |(kind, length), bytes| [bytes / base.fetch([kind, length]), length] }
                   .max_by { |ratio, length| [ratio.round(2), -length] }
  end

  # { "rules" => ..., "candidates" => { name => figures }, "cutoff" => name };
  # slower: { name => the slices that are slower }
  def verdict(counts, memory, slower = {})
    base = objects(counts["base"])
    candidates = counts.to_h do |name, measured|
      here = objects(measured)
      more = here.select { |key, n| n > base.fetch(key) }.keys
      fewer = here.select { |key, n| n < base.fetch(key) }.keys
      copied = here.select { |(source, encoding, _), n| source == "unshared" && encoding == "UTF-8" && n == 1 }.keys.map(&:last)
      dropped = worst(memory[name], memory["base"], %w[dropped pair])
      retained = worst(memory[name], memory["base"], %w[kept one])
      broken = []
      broken << "objects" unless more.empty?
      broken << "dropped" if dropped[0] > TOLERANCE
      broken << "retained" if retained[0] > RETAINED * TOLERANCE
      broken << "slower" unless slower.fetch(name, []).empty?
      [name, { "copies_up_to" => copied.max, "saves_at" => fewer.count { |s, e, _| s == "unshared" && e == "UTF-8" },
               "saves" => ranges(fewer), "more_at" => ranges(more), "other_sources_differ" => (more + fewer).map(&:first).uniq - %w[unshared embedded chilled],
               "dropped" => dropped[0].round(3), "dropped_at" => dropped[1], "retained" => retained[0].round(3), "retained_at" => retained[1],
               "slower" => slower.fetch(name, []), "breaks" => broken }]
    end
    good = candidates.reject { |name, c| name == "base" || c["breaks"].any? || c["saves_at"].zero? }
    { "rules" => RULES, "candidates" => candidates, "cutoff" => good.max_by { |_, c| c["saves_at"] }&.first || "base" }
  end

  # Lengths in UTF-8 from an unshared source, as text: "16-135".
  def ranges(keys)
    lengths = keys.filter_map { |source, encoding, n| n if source == "unshared" && encoding == "UTF-8" }.sort
    lengths.chunk_while { |a, b| b == a + 1 }.map { |run| run.size == 1 ? run[0].to_s : "#{run[0]}–#{run[-1]}" }.join(", ")
  end
end
