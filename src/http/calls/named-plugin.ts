/** Fastify searches all loaded modules for the name of a plugin that does not say it. */
const DISPLAY_NAME = Symbol.for('fastify.display-name');

/** Gives a plugin its name. */
export function named<Plugin extends object>(name: string, plugin: Plugin): Plugin {
	return Object.assign(plugin, { [DISPLAY_NAME]: name });
}
