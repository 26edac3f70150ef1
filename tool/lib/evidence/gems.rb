# frozen_string_literal: true
# The gems whose code is measured, and how a Ruby that was never installed gets
# them compiled.

require_relative "variants"

module Linesplit
  # fluentd's parser needs msgpack, strptime, serverengine, sigdump, tzinfo and
  # concurrent-ruby; protocol-http1 needs protocol-http.
  GEMS = { "fluentd" => "1.20.1", "msgpack" => "1.8.7", "strptime" => "0.2.5", "serverengine" => "2.4.0", "sigdump" => "0.2.5",
           "tzinfo" => "2.0.6", "concurrent-ruby" => "1.3.8", "logger" => "1.7.0", "csv" => "3.3.7", "rack" => "3.2.8",
           "protocol-http" => "0.72.1", "protocol-http1" => "0.41.1" }.freeze

  module_function

  # The directory in which GEMS are installed for the variant's ABI.  What could
  # not be installed is left out, and named.
  def gems(variant)
    abi = rbconfig(variant, "ruby_version", "arch").join("-")
    pins = GEMS.map { |name, version| "#{name}-#{version}" }
    dir = File.join(build_dir, "gems", "#{abi}-#{Digest::SHA256.hexdigest(pins.inspect)[0, 8]}")
    return dir if File.exist?(File.join(dir, ".complete"))

    files = gem_files
    FileUtils.mkdir_p(dir)
    log = File.join(build_dir, "gems/install.log")
    complete = true
    Dir.mktmpdir("prefix", build_dir) do |prefix|
      command, env = variant.work ? prefix_of(variant, prefix) : [variant.command, variant.env]
      files.zip(pins).each do |file, pin|
        next if File.exist?(File.join(dir, "specifications/#{pin}.gemspec"))

        step("gem install #{pin}", *gem_command(command, variant), "install", "--local", "--ignore-dependencies", "--no-document",
             "--force", "--install-dir", dir, file, log: log, env: env.merge("GEM_HOME" => dir).merge(ccache_env))
      rescue Error => e
        complete = false
        warn "#{pin} could not be installed for #{abi}; what needs it is not measured\n#{e.message.lines.last(4).join}"
      end
    end
    FileUtils.touch(File.join(dir, ".complete")) if complete
    dir
  end

  # Their files, from the cache; those that are missing in one call, which reads
  # the registry's index once.
  def gem_files
    cache = FileUtils.mkdir_p(File.join(cache_dir, "gems"))[0]
    files = GEMS.map { |name, version| File.join(cache, "#{name}-#{version}.gem") }
    missing = GEMS.reject { |name, version| File.exist?(File.join(cache, "#{name}-#{version}.gem")) }
    return files if missing.empty?

    Dir.mktmpdir("fetch", cache) do |tmp|
      step("gem fetch #{missing.keys.join(" ")}", "gem", "fetch", "--platform", "ruby", *missing.map { |pin| pin.join(":") },
           log: File.join(build_dir, "gems/fetch.log"), chdir: tmp)
      Dir.glob("#{tmp}/*.gem") { |file| File.rename(file, File.join(cache, File.basename(file))) }
    end
    files
  end

  def gem_command(command, variant)
    return [command[0], "-S", "gem"] unless variant.work

    [command[0], "--disable=did_you_mean,error_highlight", "-W0", File.join(variant.work, "src/bin/gem")]
  end

  # mkmf takes headers and library from the directory that rbconfig.rb is in, so a
  # build that was not installed gets links that look like an installation.
  def prefix_of(variant, prefix)
    obj = File.join(variant.work, "obj")
    include = File.realpath(File.join(variant.work, "src/include"))
    version, arch = rbconfig(variant, "ruby_version", "arch")
    lib = File.join(prefix, "lib/ruby", version, arch)
    headers = File.join(prefix, "include/ruby-#{version}")
    FileUtils.mkdir_p([lib, headers, File.join(prefix, "bin")])
    FileUtils.cp([File.join(obj, ".ext", arch, "rbconfig.rb"), File.join(obj, "rbconfig.rb")].find { |f| File.exist?(f) }, lib)
    File.symlink(ruby(variant.work), File.join(prefix, "bin/ruby"))
    File.symlink(File.join(obj, "libruby-static.a"), File.join(prefix, "lib/libruby-static.a"))
    Dir.children(include).each { |f| File.symlink(File.join(include, f), File.join(headers, f)) }
    File.symlink(File.join(obj, ".ext/include", arch), File.join(headers, arch))
    [[File.join(prefix, "bin/ruby")], variant.env.merge("RUBYLIB" => "#{lib}:#{variant.env["RUBYLIB"]}")]
  end

  def rbconfig(variant, *names)
    capture!(variant.env, *variant.command, "-rrbconfig", "-e", "puts RbConfig::CONFIG.values_at(*ARGV)", *names).split("\n")
  end
end
