/**
 * Fastify reads the name of a plugin from this property. If a plugin does not have it, Fastify searches all loaded
 * modules for the name.
 */
const DISPLAY_NAME = Symbol.for('fastify.display-name');

/** Gives a Fastify plugin its name, and returns the plugin. */
export function named<Plugin extends object>(name: string, plugin: Plugin): Plugin {
	return Object.assign(plugin, { [DISPLAY_NAME]: name });
}
