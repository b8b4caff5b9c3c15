// What is done with a body, wherever: in the thread of a door when it is small, in one of its own when it is not.

import { bodyWithoutEchoes } from '../echo.ts';
import type { FillableBody, Selectors } from '../selectors/selectors.ts';
import type { BodyResult, BodyTask, FillTask } from './body-task.ts';
import { codesInBody } from './code-places.ts';
import { findCards } from './read-cards.ts';
import { swapCards } from './swap-cards.ts';

type Bytes = Buffer<ArrayBuffer>;

/** Does the task. @throws ServiceError where the body cannot be read or filled */
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
		case 'echoes':
			return { bytes: bodyWithoutEchoes(body, task.numbers, contentType) as Bytes };
	}
}

/** A body with cards in their places. With what was found, it can be filled again without being read. */
export function fillBody(
	{ profile, cards, contentType }: FillTask,
	body: Bytes,
	selectors: Selectors,
): { readonly bytes: Bytes; readonly codes: readonly number[]; readonly fillable: FillableBody } {
	const fillable = selectors.fillable(body, contentType);
	const bytes = fillable.fill(cards) as Bytes;
	return { bytes, codes: codesInBody(profile, fillable, { body, count: cards.length }), fillable };
}
