// Finds the programs that tests and benchmarks run and that a machine may lack.

import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { findBrowserPath, findPageBrowserPath } from './browser-path.ts';
import { CITUS_URL } from './citus-url.ts';
import { findInPath, isExecutable } from './executables.ts';
import { whyNoSmallDisk } from './small-disk.ts';

/** The Python of Debian itself, because the package python3-paramiko of Debian belongs to it. */
export const PYTHON = '/usr/bin/python3';
/** JSch as Debian's libjsch-java installs it. */
export const JSCH = '/usr/share/java/jsch.jar';
export const SSHD = '/usr/sbin/sshd';
export const VSFTPD = '/usr/sbin/vsftpd';
export const PGBOUNCER = '/usr/sbin/pgbouncer';
/** The library of SoftHSM 2 as Debian installs it. */
export const SOFTHSM = '/usr/lib/softhsm/libsofthsm2.so';

/** The part of GNOME's file system that speaks SFTP, where Debian installs it. */
const GVFS_SFTP = '/usr/libexec/gvfsd-sftp';

/** What tests need of the machine, each with a function that returns whether it is there. */
const NEEDS = {
	'OpenSSH (openssh-client)': () => ['ssh', 'sftp', 'scp', 'ssh-keygen', 'ssh-agent', 'ssh-add'].every(isInPath),
	'an OpenSSH with mlkem768x25519-sha256 (9.9 or later)': () =>
		isInPath('sftp') && runs('sh', ['-c', 'ssh -Q kex | grep -q mlkem768x25519-sha256']),
	'sshd (openssh-server)': () => isExecutable(SSHD) && isInPath('ssh-keygen'),
	'vsftpd, started by root, with openssl': () =>
		isExecutable(VSFTPD) && isInPath('openssl') && process.getuid?.() === 0,
	'PgBouncer (pgbouncer)': () => isExecutable(PGBOUNCER),
	'an S3 server (radosgw, ceph-mon, ceph-osd)': () =>
		['radosgw', 'radosgw-admin', 'ceph-mon', 'ceph-osd', 'ceph', 'monmaptool'].every(isInPath),
	'SoftHSM (softhsm2) and pkcs11js, which npm ci compiles': () =>
		isInPath('softhsm2-util') && existsSync(SOFTHSM) && runs(process.execPath, ['-e', 'require("pkcs11js")']),
	lftp: () => isInPath('lftp') && isInPath('ssh'),
	'GnuPG (gnupg)': () => isInPath('gpg') && isInPath('gpgconf'),
	rclone: () => isInPath('rclone'),
	curl: () => isInPath('curl'),
	zsh: () => isInPath('zsh'),
	fish: () => isInPath('fish'),
	'man (man-db, groff)': () => ['man', 'groff'].every(isInPath),
	python3: () => isInPath('python3'),
	'PHP with curl (php-cli, php-curl)': () => runs('php', ['-r', 'exit(function_exists("curl_init") ? 0 : 1);']),
	'a Java compiler (default-jdk-headless)': () => isInPath('javac') && isInPath('java'),
	'Mono (mono-mcs, libmono-system-net-http4.0-cil)': () =>
		isInPath('mcs') && isInPath('mono') && existsSync('/usr/lib/mono/4.5/System.Net.Http.dll'),
	'openssl and xxd': () => isInPath('openssl') && isInPath('xxd'),
	'paramiko (python3-paramiko)': () => runs(PYTHON, ['-c', 'import paramiko']),
	'asyncssh (python3-asyncssh)': () => runs(PYTHON, ['-c', 'import asyncssh']),
	'JSch (default-jdk-headless, libjsch-java)': () => isInPath('javac') && isInPath('java') && existsSync(JSCH),
	'gio (libglib2.0-bin, gvfs-backends, dbus-daemon, openssh-client)': () =>
		['gio', 'dbus-daemon', 'ssh', 'ssh-agent', 'setpriv'].every(isInPath) && existsSync(GVFS_SFTP),
	'sshfs (sshfs, fuse3, openssh-client)': () => ['sshfs', 'fusermount3', 'ssh'].every(isInPath),
	'the right to mount with FUSE (/dev/fuse)': () => mayUseFuse(),
	'Dropbear (dropbear-bin)': () => isInPath('dbclient'),
	'PuTTY (putty-tools)': () => ['psftp', 'pscp', 'puttygen'].every(isInPath),
	'Net::SFTP::Foreign (libnet-sftp-foreign-perl, libio-pty-perl)': () =>
		runs('perl', ['-MNet::SFTP::Foreign', '-MIO::Pty', '-e', '1']) && isInPath('ssh'),
	'net-sftp (ruby-net-sftp, ruby-ed25519, ruby-bcrypt-pbkdf)': () =>
		runs('ruby', ['-rnet/sftp', '-red25519', '-rbcrypt_pbkdf', '-e', '']),
	'phpseclib 2 (php-cli, php-phpseclib)': () => runs('php', ['-r', 'require "phpseclib/autoload.php";']),
	'phpseclib 3 (php-cli, php-phpseclib3)': () => runs('php', ['-r', 'require "phpseclib3/autoload.php";']),
	'a browser (chromium)': () => findPageBrowserPath() !== undefined,
	'a browser with windows, which fills in forms (chromium)': () => findBrowserPath() !== undefined,
	// A container may have the program and not allow it to trace.
	'strace, with the right to trace': () => runs('strace', ['-qq', '-e', 'trace=none', 'true']),
	'a Citus cluster (TOKENDROP_TEST_CITUS_URL)': () => CITUS_URL !== undefined,
	'the right to mount a file system (Linux, root)': () => whyNoSmallDisk() === undefined,
} as const satisfies Record<string, () => boolean>;

export type Need = keyof typeof NEEDS;

/** What no package brings. Tests that need it are skipped even where everything else is required. */
export const BEYOND_PACKAGES: ReadonlySet<Need> = new Set<Need>([
	'the right to mount with FUSE (/dev/fuse)',
	'an OpenSSH with mlkem768x25519-sha256 (9.9 or later)',
	'a Citus cluster (TOKENDROP_TEST_CITUS_URL)',
]);

const found = new Map<Need, boolean>();

/** Returns those of `needs` that this machine does not have. */
export function findMissing(needs: readonly Need[]): Need[] {
	return needs.filter((need) => {
		if (!found.has(need)) found.set(need, NEEDS[need]());
		return !found.get(need);
	});
}

function isInPath(program: string): boolean {
	return findInPath(program) !== undefined;
}

/** A container may have the device and not allow it to be opened. */
function mayUseFuse(): boolean {
	try {
		closeSync(openSync('/dev/fuse', 'r+'));
		return true;
	} catch {
		return false;
	}
}

function runs(program: string, args: readonly string[]): boolean {
	try {
		execFileSync(program, args, { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}
