import type { SessionClient } from './client.ts';
import { openssh } from './openssh.ts';
import { pscp, psftp } from './putty.ts';
import { asyncssh, gio, jsch, netSftp, netSftpForeign, phpseclib2, phpseclib3 } from './scripted.ts';
import { sshfs } from './sshfs.ts';

export const sessionClients: readonly SessionClient[] = [
	openssh,
	psftp,
	pscp,
	netSftpForeign,
	netSftp,
	phpseclib2,
	phpseclib3,
	asyncssh,
	jsch,
	gio,
	sshfs,
];
