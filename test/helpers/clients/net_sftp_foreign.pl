# Runs Perl's Net::SFTP::Foreign for the tests. It reads a verb and its arguments from each line, and answers with a line
# that begins with `ok` or `failed`.
# It runs OpenSSH's ssh, and answers the question for the password through a terminal of its own.

use strict;
use warnings;
use Net::SFTP::Foreign;

$| = 1;
binmode STDIN, ':utf8';

sub answer { print join("\t", map { s/\s+/ /gr } @_), "\n" }

my @options = map { ('-o', $_) } 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR',
	'IdentitiesOnly=yes', 'NumberOfPasswordPrompts=1';
my @login = $ENV{TEST_KEY} ? (key_path => $ENV{TEST_KEY}) : (password => $ENV{TEST_PASSWORD});
my $sftp = Net::SFTP::Foreign->new(
	'127.0.0.1', user => $ENV{TEST_USER}, port => $ENV{TEST_PORT}, timeout => 20, more => ['-F', 'none', @options], @login);
if ($sftp->error) {
	answer('failed', $sftp->error);
	exit 1;
}
answer('ok');

my %verbs = (
	put => sub { $sftp->put(@_) },
	resume => sub { $sftp->put(@_, resume => 1) },
	rename => sub { $sftp->rename(@_) },
	get => sub { $sftp->get(@_) },
	names => sub { my $found = $sftp->ls($_[0], names_only => 1) or return; (1, @$found) },
);
while (my $line = <STDIN>) {
	chomp $line;
	my ($verb, @arguments) = split /\t/, $line;
	my ($done, @words) = $verbs{$verb}->(@arguments);
	$done ? answer('ok', @words) : answer('failed', $sftp->error);
}
