import type { SessionClient } from './client.ts';
import { openssh } from './openssh.ts';
import { pscp, psftp } from './putty.ts';
import { asyncssh, netSftp, netSftpForeign, phpseclib2, phpseclib3 } from './scripted.ts';

export const sessionClients: readonly SessionClient[] = [
	openssh,
	psftp,
	pscp,
	netSftpForeign,
	netSftp,
	phpseclib2,
	phpseclib3,
	asyncssh,
];
