import test, { type ExecutionContext } from 'ava';
import { VISA } from './card-calls.ts';
import { databases, dialects } from './database.ts';
import { type Caller, type HttpTestRooms, openHttpRooms } from './http-rooms.ts';

type Story = (t: ExecutionContext, rooms: HttpTestRooms, demo: Caller) => Promise<void>;

/** Declares a test of the app on each dialect, told by an account that keeps CVVs. `secret` may not be logged. */
export function onBothWithout(secret: string, on = dialects) {
	return (title: string, story: Story): void => {
		for (const dialect of on) {
			test(`${dialect}: ${title}`, async (t) => {
				const rooms = await openHttpRooms(t, dialect);
				await story(t, rooms, await rooms.createCaller('demo', { cvvRetention: true }));
				t.false(rooms.logText().includes(secret));
			});
		}
	};
}

/** The same where cards are the secret. */
export const onBoth = onBothWithout(VISA);

/** The same where SQL is the point, so that PostgreSQL always takes part. */
export const onBothAlways = onBothWithout(VISA, databases);
