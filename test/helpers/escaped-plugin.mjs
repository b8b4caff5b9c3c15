// Runs in the place of `formats/plugins/inside.mjs` as a plugin that has got hold of everything that Node has. It answers what
// comes of trying to reach something.

import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { openSync, readSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';

function read(length) {
	const bytes = Buffer.alloc(length);
	for (let at = 0; at < length; ) at += readSync(0, bytes, at, length - at);
	return bytes;
}

function readFrame() {
	return read(read(8).readUInt32LE(0));
}

function answer(bytes) {
	const head = Buffer.alloc(4);
	head.writeUInt32LE(bytes.length);
	writeSync(1, Buffer.concat([head, bytes]));
}

/** Returns the code of the error that `begin` throws or that the thing it makes tells. */
async function outcomeOf(begin) {
	try {
		const made = begin();
		return await new Promise((resolve) => {
			made.once('error', (error) => resolve(error.code));
			for (const good of ['connect', 'listening', 'spawn', 'online']) made.once(good, () => resolve(`reached ${good}`));
		});
	} catch (error) {
		return error.code ?? String(error);
	}
}

answer(Buffer.alloc(0));
const port = Number(readFrame());
answer(Buffer.from('{}'));
readFrame();
const opened = (path, flags) => () => {
	throw { code: `opened ${openSync(path, flags)}` };
};
const tried = {
	connect: await outcomeOf(() => connect(port, '127.0.0.1')),
	listen: await outcomeOf(() => createServer().listen(0, '127.0.0.1')),
	datagram: await outcomeOf(() => createSocket('udp4').bind(0)),
	read: await outcomeOf(opened('/etc/passwd', 'r')),
	write: await outcomeOf(opened('/tmp/plugin', 'w')),
	spawn: await outcomeOf(() => spawn(process.execPath, ['--version'])),
	thread: await outcomeOf(() => new Worker('1', { eval: true })),
	environment: Object.keys(process.env).length === 0 ? 'empty' : 'there',
};
answer(Buffer.from(JSON.stringify(tried)));
