import test, { type ExecutionContext } from 'ava';
import { VISA } from './card-calls.ts';
import { databases, dialects } from './database.ts';
import { type Caller, type HttpApp, openHttpApp } from './http-app.ts';

type Story = (t: ExecutionContext, parts: HttpApp, demo: Caller) => Promise<void>;

/**
 * Returns a function that declares a test of the app on each dialect. The test gets an account that keeps CVVs, and it
 * fails if `secret` is logged.
 */
export function onBothWithout(secret: string, on = dialects) {
	return (title: string, story: Story): void => {
		for (const dialect of on) {
			test(`${dialect}: ${title}`, async (t) => {
				const parts = await openHttpApp(t, dialect);
				await story(t, parts, await parts.createCaller('demo', { cvvRetention: true }));
				t.false(parts.logText().includes(secret));
			});
		}
	};
}

/** Declares a test of the app on each dialect, which fails if the usual card number is logged. */
export const onBoth = onBothWithout(VISA);

/** Works as `onBoth`, but always includes PostgreSQL, for tests whose point is SQL. */
export const onBothAlways = onBothWithout(VISA, databases);
