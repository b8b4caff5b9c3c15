// The entry point of a thread that works on bodies. It knows selectors and card rules, and opens no files or
// connections.

import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../../../base/errors.ts';
import { giveWay } from '../../../base/threads/thread-priority.ts';
import { compileSelectors, type Selectors } from '../selectors/selectors.ts';
import type { BodyResult, BodyTask, FromBodyThread, ToBodyThread } from './body-task.ts';
import { doTask } from './body-work.ts';
import { handedOver } from './handed-over.ts';

giveWay();

/** At most this many compiled selectors are kept, those used most recently. */
const MAX_KEPT = 100;
const kept = new Map<string, Selectors>();

function selectorsOf(task: BodyTask): Selectors {
	if (!('profile' in task)) throw new Error('internal error: this task has no selectors');
	const { body, cards, namespaces } = task.profile;
	const key = JSON.stringify([body, cards, namespaces]);
	const selectors = kept.get(key) ?? compileSelectors(task.profile);
	kept.delete(key);
	kept.set(key, selectors);
	if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
	return selectors;
}

function work({ task, bytes }: ToBodyThread): void {
	const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	let answer: FromBodyThread;
	try {
		answer = { kind: 'done', result: doTask(task, body, selectorsOf) };
	} catch (error) {
		answer =
			error instanceof ServiceError
				? { kind: 'refused', reason: error.reason, moreInfo: error.moreInfo ?? undefined, told: error.told }
				: { kind: 'broken', name: error instanceof Error ? error.name : typeof error };
	}
	const result = answer.kind === 'done' ? owned(answer.result) : undefined;
	// If the body was not changed, the result is in the same memory as the input. Otherwise the input is no longer
	// needed, so it is wiped.
	if (result?.bytes.buffer !== bytes.buffer) {
		body.fill(0);
		bytes.buffer.transfer(0);
	}
	if (result === undefined) parentPort!.postMessage(answer);
	else parentPort!.postMessage({ kind: 'done', result }, [result.bytes.buffer]);
}

const owned = (result: BodyResult): BodyResult => ({ ...result, bytes: handedOver(result.bytes) });

parentPort!.on('message', work);
parentPort!.postMessage({ kind: 'ready' } satisfies FromBodyThread);
