import test, { type ExecutionContext } from 'ava';
import { VISA } from './card-calls.ts';
import { databases } from './database.ts';
import { type Caller, type HttpTestRooms, openHttpRooms } from './http-rooms.ts';

type Story = (t: ExecutionContext, rooms: HttpTestRooms, demo: Caller) => Promise<void>;

/**
 * Declares a test of the app on each database, with an account that keeps CVVs. It checks that `secret` is not logged.
 */
export function onBothWithout(secret: string) {
	return (title: string, story: Story): void => {
		for (const dialect of databases) {
			test(`${dialect}: ${title}`, async (t) => {
				const rooms = await openHttpRooms(t, dialect);
				await story(t, rooms, await rooms.createCaller('demo', { cvvRetention: true }));
				t.false(rooms.logText().includes(secret));
			});
		}
	};
}

/** Declares a test like the one above, in which the cards are the secret. */
export const onBoth = onBothWithout(VISA);
