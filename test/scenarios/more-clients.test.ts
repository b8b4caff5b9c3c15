// OpenSSH's sftp, PuTTY's clients, GNOME's gio, sshfs and libraries of five languages send files over a network that breaks, under names that
// are refused, and with credentials that end.

import { openssh } from '../helpers/clients/openssh.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { files } from './more-clients.setup.ts';

testNeeding(...openssh.needs).serial(files, openssh);
