import test from 'ava';
import { refuses } from './file-relay-refusals.setup.ts';

test(refuses, { path: 'in\n' }, 'path: may not hold control characters');
test(refuses, { path: 'none' }, 'path: no such folder', 502);
test(refuses, { port: '0' }, 'port: must be >= 1');
test(refuses, { port: 'x' }, 'port: must be a whole number in digits alone');
test(refuses, { port: '1' }, 'host: the connection was refused', 502);
test(refuses, { userName: '' }, 'userName: expected 1 to 255 characters');
test(
	refuses,
	{ hostKey: 'MD5:00' },
	'hostKey: expected fingerprints as ssh-keygen -l shows them: SHA256: and 43 characters',
);
test(refuses, { destination: 'bank' }, 'destination: not together with host');
test(refuses, { overwrite: 'maybe' }, 'overwrite: expected true or false');
