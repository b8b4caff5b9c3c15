import { readOptionFile } from '../frame/command.ts';
import type { Invocation } from '../frame/invocation.ts';

const texts = new WeakMap<Invocation, Promise<string>>();

/**
 * Reads the document of a route that a command names, once for each command: what was judged before the command is what
 * it stores, even if somebody changes the file meanwhile.
 */
export function readRouteText(invocation: Invocation, file: string): Promise<string> {
	let text = texts.get(invocation);
	if (!text) texts.set(invocation, (text = readOptionFile('--file', file)));
	return text;
}
