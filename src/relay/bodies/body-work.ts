// What is done with a body, wherever: in the thread of a door when it is small, in one of its own when it is not.

import { bodyWithoutEchoes } from '../echo.ts';
import type { Selectors } from '../selectors/selectors.ts';
import type { BodyResult, BodyTask } from './body-task.ts';
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
		case 'fill':
			return { bytes: selectorsOf(task).fill(body, task.cards, contentType) as Bytes };
		case 'codes': {
			const { profile, count } = task;
			return { bytes: body, codes: codesInBody(profile, selectorsOf(task), { body, contentType, count }) };
		}
		case 'echoes':
			return { bytes: bodyWithoutEchoes(body, task.numbers, contentType) as Bytes };
	}
}
