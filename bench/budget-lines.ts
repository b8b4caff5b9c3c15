// Says for what a call takes its processor time: the profile of the daemon under load, in which each sample counts for the
// nearest function on its stack that is known to belong to a step of a call.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The steps of a call, each with the files that belong to it. The first that matches counts. */
const STEPS: readonly (readonly [step: string, files: RegExp])[] = [
	['trail', /\/src\/(trail\/|installation\/opening\/audited-)/],
	[
		'log',
		/\/src\/(base\/log\/|doors\/http\/server\/(access-log|call-log|refused-lines|request-id)|work\/statistics\/|app\/watches\/|app\/open-doors)|\/(pino|prom-client|sonic-boom)\//,
	],
	[
		'authenticate',
		/\/src\/(doors\/http\/access\/|people\/|base\/keys\/rows\/|base\/defender\/)|_http_(agent)|\/src\/base\/keys\/hash/,
	],
	[
		'parse',
		/\/src\/doors\/http\/input\/|\/src\/base\/text\/|node:_http_(common|incoming)|content-type-parser|find-my-way|node:internal\/url/,
	],
	['check', /\/src\/(base\/card\/|doors\/http\/(idempotency|calls|server\/validators|server\/unread))|\/ajv\//],
	['vault', /\/src\/(vault\/|base\/keys\/)/],
	['database', /\/src\/base\/database\/|\/(better-sqlite3|knex|tarn|lodash|pg|pg-pool|pg-protocol)\//],
	['third party', /\/src\/(work\/relay\/|base\/outbound\/|doors\/http\/third-parties\/)|\/undici\//],
	[
		'answer',
		/\/src\/doors\/http\/|node:_http_(outgoing|server)|fastify\/lib\/(reply|hooks)|@fastify\/compress|node:internal\/(stream_base_commons|streams)/,
	],
];
const COLLECTOR = 'garbage collector';
const REST = 'rest';
/** The names of the steps, in the order in which they are told. */
export const STEP_NAMES = [...STEPS.map(([step]) => step), COLLECTOR, REST];

interface Profile {
	readonly nodes: readonly {
		readonly id: number;
		readonly callFrame: { readonly functionName: string; readonly url: string };
		readonly children?: readonly number[];
	}[];
	readonly samples: readonly number[];
	readonly timeDeltas: readonly number[];
}

/**
 * Reads the profile of the main thread in a folder, and returns the share of each step in the time that the thread worked
 * while calls were answered. The first two seconds of the load are left out, because code is compiled then.
 */
export function readSteps(folder: string): Map<string, number> {
	const profile = readdirSync(folder)
		.filter((name) => name.endsWith('.cpuprofile'))
		.map((name) => readFileSync(join(folder, name), 'utf8'))
		.map((text) => ({ text, mentions: text.split('/server/access-log.ts').length }))
		.sort((one, other) => other.mentions - one.mentions)
		.map(({ text }) => JSON.parse(text) as Profile)[0];
	const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
	const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
	const steps = new Map(profile.nodes.map(({ id }) => [id, stepOf(id, nodes, parents)]));
	const isCall = new Set(
		profile.nodes.filter(({ callFrame }) => callFrame.url.endsWith('/server/access-log.ts')).map(({ id }) => id),
	);
	const ends: number[] = [];
	for (const delta of profile.timeDeltas) ends.push((ends.at(-1) ?? 0) + delta);
	const calls = ends.filter((_, n) => isCall.has(profile.samples[n]));
	const [from, to] = [(calls[0] ?? 0) + WARM_MICROS, calls.at(-1) ?? 0];
	const sums = new Map<string, number>();
	let total = 0;
	for (const [n, id] of profile.samples.entries()) {
		const step = steps.get(id);
		if (step === undefined || ends[n] < from || ends[n] > to) continue;
		sums.set(step, (sums.get(step) ?? 0) + profile.timeDeltas[n]);
		total += profile.timeDeltas[n];
	}
	return new Map(STEP_NAMES.map((step) => [step, (sums.get(step) ?? 0) / total]));
}

const WARM_MICROS = 2_000_000;

/** Returns the step of a node, or undefined if the thread waits there. */
function stepOf(id: number, nodes: Map<number, Profile['nodes'][number]>, parents: Map<number, number>) {
	const { functionName } = nodes.get(id)!.callFrame;
	if (functionName === '(idle)') return undefined;
	if (functionName === '(garbage collector)') return COLLECTOR;
	for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
		const { url } = nodes.get(at)!.callFrame;
		const step = STEPS.find(([, files]) => files.test(url));
		if (step) return step[0];
	}
	return REST;
}
