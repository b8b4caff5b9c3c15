import test from 'ava';
import fc from 'fast-check';
import {
	encodeAttributes,
	encodeContent,
	encodeLimits,
	encodeStatus,
	encodeVersion,
} from '../../src/doors/sftp/protocol/encoder.ts';
import { maxPacketBytes, maxTransferBytes, packetType } from '../../src/doors/sftp/protocol/packet.ts';
import { formatLongName } from '../../src/doors/sftp/session/open-directory.ts';
import { parseReplies, statusOf } from './raw-session.ts';

test('VERSION announces 3 and the extensions with their versions', (t) => {
	const text = Buffer.concat(encodeVersion()).toString('latin1');
	for (const name of ['posix-rename', 'fsync', 'statvfs', 'fstatvfs', 'limits'])
		t.true(text.includes(`${name}@openssh.com`));
	t.is(parseReplies(Buffer.concat(encodeVersion()))[0].id, 3);
});

test('file bytes of any length come back from their pieces', (t) => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: maxTransferBytes }), fc.nat({ max: 0xffff_ffff }), (length, id) => {
			const content = Buffer.alloc(length, length);
			const [reply] = parseReplies(Buffer.concat(encodeContent(id, content)));
			t.is(reply.type, packetType.data);
			t.is(reply.id, id);
			t.is(reply.body.readUInt32BE(0), length);
			t.true(reply.body.subarray(4).equals(content));
		}),
	);
});

test('a status carries its message as UTF-8', (t) => {
	const [reply] = parseReplies(Buffer.concat(encodeStatus(9, 4, 'the folder “x” is fixed')));
	t.deepEqual(statusOf(reply), { code: 4, message: 'the folder “x” is fixed' });
});

test('limits name a packet that holds the transfers they name', (t) => {
	const [{ body }] = parseReplies(Buffer.concat(encodeLimits(1, 256)));
	const values = [0, 8, 16, 24].map((at) => Number(body.readBigUInt64BE(at)));
	t.deepEqual(values, [maxPacketBytes, 261_120, 261_120, 256]);
	t.true(values[0] >= 256 * 1024);
});

test('times outside what 32 bits hold are clamped', (t) => {
	const attributes = { kind: 'file', size: 2 ** 40, mode: 0o640 } as const;
	const at = (modifiedAt: Date) =>
		parseReplies(Buffer.concat(encodeAttributes(1, { ...attributes, modifiedAt })))[0].body.readUInt32BE(28);
	t.is(at(new Date(-1)), 0);
	t.is(at(new Date('2200-01-01')), 0xffff_ffff);
	t.is(at(new Date(1_000_500)), 1000);
	t.is(at(new Date(Number.NaN)), 0);
});

const now = new Date('2026-11-21T12:00:00Z');
const lists = test.macro({
	exec(t, entry: Parameters<typeof formatLongName>[0], owner: string, line: string) {
		t.is(formatLongName(entry, owner, now), line);
	},
	title: (title) => `the long name of ${title} is a line of ls -l`,
});
test(
	'a new file',
	lists,
	{ kind: 'file', name: 'may.csv', size: 1234, mode: 0o640, modifiedAt: new Date('2026-11-09T08:05:00Z') },
	'acme',
	'-rw-r-----    1 acme     acme             1234 Nov  9 08:05 may.csv',
);
test(
	'an old folder of an owner with blanks',
	lists,
	{ kind: 'directory', name: 'GBT', size: 0, mode: 0o750, modifiedAt: new Date('2024-01-31T08:05:00Z') },
	'acme travel',
	'drwxr-x---    2 acme_travel acme_travel            0 Jan 31  2024 GBT',
);
