import test from 'ava';
import { defaultSftpLimits } from '../../src/doors/sftp/limits.ts';
import { Admission } from '../../src/doors/sftp/ssh/admission.ts';

const limits = {
	...defaultSftpLimits,
	maxSessions: 3,
	maxSessionsPerAddress: 2,
	maxSessionsPerAccount: 2,
};

test('sessions are limited for each address, each user and in all', (t) => {
	const admission = new Admission(limits);
	t.true(admission.enterSession('a', 'one') && admission.enterSession('a', 'two'));
	t.false(admission.enterSession('a', 'three'), 'the address has two');
	t.true(admission.enterSession('b', 'two'));
	t.false(admission.enterSession('c', 'three'), 'there are three in all');
	admission.leaveSession('a', 'one');
	t.false(admission.enterSession('c', 'two'), 'the user has two');
	t.true(admission.enterSession('c', 'three'));
	t.is(admission.sessions, 3);
});

test('a refused session leaves no trace', (t) => {
	const admission = new Admission({ ...limits, maxSessionsPerAccount: 1 });
	t.true(admission.enterSession('a', 'one'));
	for (let turn = 0; turn < 10; turn += 1) t.false(admission.enterSession('b', 'one'));
	t.is(admission.sessions, 1);
	admission.leaveSession('a', 'one');
	t.is(admission.sessions, 0);
	t.true(admission.enterSession('b', 'one'));
});
