# Runs Ruby's net-sftp for the tests. It reads a verb and its arguments from each line, and answers with a line
# that begins with `ok` or `failed`.

require 'net/sftp'
require 'stringio'

$stdout.sync = true

def answer(*words)
  puts words.map { |word| word.to_s.gsub(/\s+/, ' ') }.join("\t")
end

login = ENV['TEST_KEY'] ? { keys: [ENV['TEST_KEY']], keys_only: true } : { password: ENV['TEST_PASSWORD'] }
begin
  ssh = Net::SSH.start(
    '127.0.0.1', ENV['TEST_USER'],
    port: ENV['TEST_PORT'].to_i, config: false, verify_host_key: :never, non_interactive: true, use_agent: false,
    auth_methods: [ENV['TEST_KEY'] ? 'publickey' : 'password'], timeout: 20, **login
  )
  sftp = Net::SFTP::Session.new(ssh).connect!
rescue StandardError => error
  answer('failed', "#{error.class}: #{error.message}")
  exit 1
end
answer('ok')

verbs = {
  'put' => ->(local, remote) { sftp.upload!(local, remote) },
  # The library cannot resume an upload, so this appends what is missing, as a user's script would.
  'resume' => lambda { |local, remote|
    size = sftp.stat!(remote).size
    missing = StringIO.new(IO.binread(local, nil, size))
    sftp.file.open(remote, 'a') do |file|
      # It sends each text in one request, and a request of more than 256 KiB ends the session.
      while (piece = missing.read(65_536))
        file.write(piece)
      end
    end
  },
  'rename' => ->(from, to) { sftp.rename!(from, to) },
  'get' => ->(remote, local) { sftp.download!(remote, local) },
  'names' => ->(folder) { sftp.dir.entries(folder).map(&:name) }
}
while (line = $stdin.gets)
  verb, *arguments = line.chomp.split("\t")
  begin
    result = verbs.fetch(verb).call(*arguments)
    answer('ok', *(verb == 'names' ? result : []))
  rescue StandardError => error
    answer('failed', "#{error.class}: #{error.message}")
  end
end
