// Does the work on one body. This code runs in the main thread for small bodies, and in a worker thread for large ones.

import { bodyWithoutEchoes } from '../echo.ts';
import { tryProfile } from '../profile-trial.ts';
import type { FillableBody, Selectors } from '../selectors/selectors.ts';
import type { BodyResult, BodyTask, FillTask } from './body-task.ts';
import { codesInBody } from './code-places.ts';
import { findCards } from './read-cards.ts';
import { swapCards } from './swap-cards.ts';

type Bytes = Buffer<ArrayBuffer>;

/**
 * Does a task on a body.
 * @throws ServiceError if the body cannot be read or filled
 */
export function doTask(task: BodyTask, body: Bytes, selectorsOf: (task: BodyTask) => Selectors): BodyResult {
	const { contentType } = task;
	switch (task.kind) {
		case 'read': {
			const from = { body, kind: task.profile.body, selectors: selectorsOf(task), contentType };
			return { bytes: body, cards: findCards(from, task.now).read };
		}
		case 'swap': {
			const found = selectorsOf(task).search(body, contentType);
			return { bytes: swapCards(body, found, task.outcome) as Bytes };
		}
		case 'fill': {
			const { bytes, codes } = fillBody(task, body, selectorsOf(task));
			return { bytes, codes };
		}
		case 'try': {
			const selectors = selectorsOf(task);
			const trial = tryProfile({ ...task.profile, selectors }, { body, contentType, now: task.now });
			return { bytes: body, tried: { trial, spans: selectors.spans(body, contentType) } };
		}
		case 'echoes':
			return { bytes: bodyWithoutEchoes(body, task.numbers, contentType) as Bytes };
	}
}

/**
 * Puts cards into a body. The result keeps the places found, so that the body can be filled again without being read.
 */
export function fillBody(
	{ profile, cards, contentType }: FillTask,
	body: Bytes,
	selectors: Selectors,
): { readonly bytes: Bytes; readonly codes: readonly number[]; readonly fillable: FillableBody } {
	const fillable = selectors.fillable(body, contentType);
	const bytes = fillable.fill(cards) as Bytes;
	return { bytes, codes: codesInBody(profile, fillable, { body, count: cards.length }), fillable };
}
