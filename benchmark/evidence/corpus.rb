# frozen_string_literal: true
# Lines of the kinds that programs cut up, of this project's own making: response
# headers from headers.txt, and logs drawn from the words below, the same in
# every run.

module Corpus
  AGENTS = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/135.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:137.0) Gecko/20100101 Firefox/137.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Mobile/15E148 Safari/604.1",
    "curl/8.12.1", "example-probe/3.2 (+https://probe.example.net/about)", "-",
  ].freeze
  PATHS = ["/", "/favicon.ico", "/assets/application-9f2c41d7e0b8a653.js", "/api/v2/orders/%d/items?expand=product&locale=de-DE",
           "/search?q=%d+mm+hex+bolt+stainless&page=3&sort=price_asc&utm_source=newsletter&utm_campaign=spring-%d",
           "/users/%d/avatar.png", "/health"].freeze
  MESSAGES = ["connection accepted", "checkpoint complete: wrote %d buffers (3.1%%); write=26.92 s, sync=0.01 s, total=27.07 s",
              "request %d finished in 48 ms", "retrying upload of part %d after timeout, attempt 2 of 5, next try in 4000 ms",
              "cache miss", "user %d logged in from 198.51.100.23 with a hardware key"].freeze

  module_function

  # numbers from 0 to n - 1, by a generator of our own: Random may change
  def dice(seed)
    state = seed
    lambda do |n|
      state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
      (state >> 8) % n
    end
  end

  # [[status line, header, ...], ...], without line ends
  def headers
    File.read(File.join(__dir__, "headers.txt")).split(/\n\n/).map { |response| response.lines(chomp: true) }
  end

  def access_log(lines = 500)
    roll = dice(22_186)
    Array.new(lines) do |i|
      path = format(PATHS[roll[PATHS.size]], *[roll[90_000] + 10_000] * 2)
      { "time" => format("14/Apr/2026:09:%02d:%02d +0000", i / 60 % 60, i % 60), "host" => "203.0.113.#{roll[254] + 1}",
        "forwardedfor" => roll[3] == 0 ? "198.51.100.#{roll[254] + 1}, 192.0.2.#{roll[254] + 1}" : "-",
        "req" => "#{%w[GET GET GET POST][roll[4]]} #{path} HTTP/1.1", "status" => [200, 200, 200, 304, 302, 404, 500][roll[7]].to_s,
        "size" => roll[80_000].to_s, "referer" => roll[2] == 0 ? "-" : "https://www.example.com#{format(PATHS[roll[PATHS.size]], *[roll[9000]] * 2)}",
        "ua" => AGENTS[roll[AGENTS.size]], "reqtime" => format("0.%03d", roll[1000]), "cache" => "-",
        "runtime" => format("0.%06d", roll[1_000_000]), "vhost" => "www.example.com" }
    end
  end

  def ltsv(lines = 500)
    access_log(lines).map { |record| record.map { |pair| pair.join(":") }.join("\t") }
  end

  def csv(lines = 500)
    records = access_log(lines)
    [records[0].keys, *records.map(&:values)].map { |row| row.map { |v| v.match?(/[",]/) ? "\"#{v.gsub('"', '""')}\"" : v }.join(",") }
  end

  def queries(lines = 500)
    access_log(lines).map { |record| record.slice("host", "req", "referer", "ua").map { |k, v| "#{k}=#{v.gsub(/[^\w.-]/) { |c| format("%%%02X", c.ord) }}" }.join("&") }
  end

  def app_log(lines = 2000)
    roll = dice(22_463)
    Array.new(lines) do |i|
      message = format(MESSAGES[roll[MESSAGES.size]], roll[100_000])
      message += " " + AGENTS[roll[3]] * (roll[8] + 1) if roll[20] == 0
      format("2026-04-14T09:%02d:%02d.%03dZ web-%d app[%d]: level=%s msg=%s", i / 60 % 60, i % 60, roll[1000], roll[4], 4000 + roll[30], %w[info info warn debug][roll[4]], message)
    end
  end
end
