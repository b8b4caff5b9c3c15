<?php
// Runs PHP's phpseclib, version 2 or 3 for the tests. It reads a verb and its arguments from each line, and answers with a line
// that begins with `ok` or `failed`.

error_reporting(E_ALL & ~E_DEPRECATED);
ini_set('display_errors', 'stderr');
$isThree = getenv('TEST_PHPSECLIB') === '3';
require $isThree ? 'phpseclib3/autoload.php' : 'phpseclib/autoload.php';

function answer(string ...$words): void
{
	echo implode("\t", preg_replace('/\s+/', ' ', $words)), "\n";
}

function proof(bool $isThree)
{
	$keyFile = getenv('TEST_KEY');
	if ($keyFile === false) {
		return getenv('TEST_PASSWORD');
	}
	$text = file_get_contents($keyFile);
	if ($isThree) {
		return phpseclib3\Crypt\PublicKeyLoader::load($text);
	}
	$key = new phpseclib\Crypt\RSA();
	$key->loadKey($text);
	return $key;
}

$class = $isThree ? 'phpseclib3\Net\SFTP' : 'phpseclib\Net\SFTP';
// Notices are how version 2 tells of a lost connection.
set_error_handler(function (int $level, string $message): bool {
	throw new ErrorException($message, 0, $level);
}, E_ALL & ~E_DEPRECATED);
try {
	$sftp = new $class('127.0.0.1', (int) getenv('TEST_PORT'), 20);
	if (!$sftp->login(getenv('TEST_USER'), proof($isThree))) {
		answer('failed', 'login returned false');
		exit(1);
	}
} catch (Throwable $error) {
	answer('failed', $error->getMessage());
	exit(1);
}
answer('ok');

$local = $class::SOURCE_LOCAL_FILE;
$verbs = [
	'put' => fn ($from, $to) => $sftp->put($to, $from, $local),
	// RESUME alone would append the local file from its start, so both places are named.
	'resume' => function ($from, $to) use ($sftp, $local) {
		$size = $sftp->stat($to)['size'];
		return $sftp->put($to, $from, $local, $size, $size);
	},
	'rename' => fn ($from, $to) => $sftp->rename($from, $to),
	'get' => fn ($from, $to) => $sftp->get($from, $to),
	'names' => fn ($folder) => $sftp->nlist($folder),
];
while (($line = fgets(STDIN)) !== false) {
	$arguments = explode("\t", rtrim($line, "\n"));
	$verb = array_shift($arguments);
	try {
		$result = $verbs[$verb](...$arguments);
		if ($result === false) {
			answer('failed', (string) $sftp->getLastSFTPError());
		} else {
			answer('ok', ...($verb === 'names' ? array_map('strval', $result) : []));
		}
	} catch (Throwable $error) {
		answer('failed', $error->getMessage());
	}
}
