// Runs in the confined process (process.ts) and holds the plugin of a format. It is plain JavaScript because the process has to
// begin quickly, and it waits for each piece with a blocking read, so that the plugin has no event loop: no timer, no promise
// and no import of it ever comes to an end. Nothing here may touch `process.stdin`, not even an import of `node:process`, because
// that would end the blocking.

import { readSync, writeSync } from 'node:fs';
import vm from 'node:vm';

const KIND = { tokenize: 1, detokenize: 2, window: 3, lastWindow: 4 };

/**
 * Runs in the plugin's own global scope, before the plugin. It alone hands the plugin something: bytes and numbers, all of
 * them made in this scope, so that the plugin holds nothing that leads to Node.
 */
const BESIDE = `'use strict';
(() => {
	const { isInteger } = Number;
	const { stringify } = JSON;
	const [Bytes, Integers, Memory] = [Uint8Array, Int32Array, ArrayBuffer];
	const SPANS = ['number', 'expiry', 'cvv', 'type', 'name', 'reference', 'mask'];
	const HEAD = 4;
	const WIDTH = 2 + SPANS.length * 2;
	const [ANSWERED, FAULT, THREW, UNREADABLE] = [0, 1, 2, 3];
	let dropped = 0;
	const drop = () => void dropped++;
	globalThis.console = Object.freeze({ log: drop, info: drop, warn: drop, error: drop, debug: drop, trace: drop });
	Object.defineProperty(Error, 'prepareStackTrace', { value: undefined });
	Error.stackTraceLimit = 0;
	let plugin;
	let scanner;
	let memory = new Memory(0);
	let answer = memory;
	const write = (status, first, second, cards) => {
		answer = new Memory((HEAD + cards.length * WIDTH) * 4);
		const out = new Integers(answer);
		out[0] = status;
		out[1] = first;
		out[2] = second;
		out[3] = dropped;
		let at = HEAD;
		for (let i = 0; i < cards.length; i++) {
			const card = cards[i];
			const { record = 0, tail = -1 } = card;
			if (!isInteger(record) || !isInteger(tail)) return false;
			out[at++] = record;
			out[at++] = tail;
			for (let s = 0; s < SPANS.length; s++) {
				const span = card[SPANS[s]];
				const start = span === undefined ? 0 : span[0];
				const end = span === undefined ? 0 : span[1];
				if (!isInteger(start) || !isInteger(end)) return false;
				out[at++] = start;
				out[at++] = end;
			}
		}
		return true;
	};
	return {
		describe(given) {
			plugin = given;
			const { filter, title, tokenCase, expiryFormat, faults } = given;
			return String(stringify({ filter, title, tokenCase, expiryFormat, faults }));
		},
		open(direction) {
			scanner = plugin.open(direction);
		},
		memoryOf(length) {
			return (memory = new Memory(length));
		},
		scan(length, isLast) {
			try {
				const found = scanner.scan(new Bytes(memory, 0, length), isLast);
				if (isInteger(found.fault)) write(FAULT, isInteger(found.at) ? found.at : 0, found.fault, []);
				else if (!isInteger(found.settled) || !write(ANSWERED, found.settled, 0, found.cards ?? []))
					write(UNREADABLE, 0, 0, []);
			} catch {
				write(THREW, 0, 0, []);
			}
		},
		answer: () => answer,
	};
})()`;

const header = Buffer.alloc(8);

function read(target, length) {
	for (let at = 0; at < length; ) {
		const count = readSync(0, target, at, length - at);
		// The vault has closed the pipe: the file is at its end.
		if (count === 0) process.exit(0);
		at += count;
	}
}

function readHeader() {
	read(header, header.length);
	return { length: header.readUInt32LE(0), kind: header.readUInt32LE(4) };
}

function answer(bytes) {
	const head = Buffer.alloc(4);
	head.writeUInt32LE(bytes.length);
	for (const part of [head, bytes]) {
		for (let at = 0; at < part.length; ) at += writeSync(1, part, at);
	}
}

// From this answer on the kernel refuses every new file and connection, and only then the plugin comes.
answer(Buffer.alloc(0));
const { length: sourceLength, kind: direction } = readHeader();
const source = Buffer.alloc(sourceLength);
read(source, sourceLength);

const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } });
const beside = vm.runInContext(BESIDE, context);
/** An error of Node's would lead the plugin out of its scope, so it gets a plain text. */
const refuse = () => {
	throw 'a plugin imports nothing';
};
/** Loads the plugin and returns what it says of itself, or what is wrong with it. It has not seen a byte of a file yet. */
async function load() {
	try {
		const module = new vm.SourceTextModule(source.toString('utf8'), {
			context,
			identifier: 'plugin',
			importModuleDynamically: refuse,
		});
		await module.link(refuse);
		await module.evaluate();
		const description = beside.describe(module.namespace.default);
		beside.open(direction === KIND.tokenize ? 'tokenize' : 'detokenize');
		return `${description}`;
	} catch (error) {
		return JSON.stringify({ failed: `${error}`.slice(0, 500) });
	}
}

answer(Buffer.from(await load()));

let memory = Buffer.alloc(0);
for (;;) {
	const { length, kind } = readHeader();
	if (length > memory.length) memory = Buffer.from(beside.memoryOf(length * 2));
	read(memory, length);
	beside.scan(length, kind === KIND.lastWindow);
	answer(Buffer.from(beside.answer()));
}
