import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { environmentOf, parseDockerfile, type DockerInstruction } from "./dockerfile.ts";

/** What the container files are compared with. */
export interface ContainerWorld {
  /** Whether a path from the repository root exists and is part of the build context. */
  readonly inContext: (file: string) => boolean;
  /** Files that the build makes, such as dist/server.js. */
  readonly built: ReadonlySet<string>;
  readonly defaultPort: number;
  /** Faults of these QUARRY_ variables; none when the configuration takes them. */
  readonly faultsOfVariables: (variables: Readonly<Record<string, string>>) => readonly string[];
  /** Whether the product runs on this Node, from the tag of the base image. */
  readonly runsOnNode: (major: number) => boolean;
  /** Paths that answer without a key. */
  readonly openPaths: ReadonlySet<string>;
}

/** Faults of a Dockerfile: paths, stages, ports, variables and the program it starts. */
export function checkDockerfile(text: string, world: ContainerWorld): readonly string[] {
  const instructions = parseDockerfile(text);
  return [
    ...wrongSources(instructions, world),
    ...wrongBase(instructions, world),
    ...wrongPorts(instructions, world),
    ...wrongHealthCheck(instructions, world),
    ...world.faultsOfVariables(quarryVariables(environmentOf(instructions))),
    ...wrongProgram(instructions, world),
    ...wrongDataDirectory(instructions),
  ].map((fault) => `Dockerfile: ${fault}`);
}

function wrongSources(instructions: readonly DockerInstruction[], world: ContainerWorld): readonly string[] {
  const copies = instructions.filter(({ name }) => name === "COPY" || name === "ADD");
  const stages = instructions.filter(({ name }) => name === "FROM").map(({ words }) => words[2]);
  return copies.flatMap(({ flags, words, stage }) => {
    const from = flags["from"];
    if (from !== undefined) return stages.slice(0, stage).includes(from) ? [] : [`there is no stage ${from} before it`];
    return words.slice(0, -1).flatMap((source) => (world.inContext(source) ? [] : [`${source} is not there to copy`]));
  });
}

function wrongBase(instructions: readonly DockerInstruction[], world: ContainerWorld): readonly string[] {
  return instructions
    .filter(({ name }) => name === "FROM")
    .flatMap(({ words: [image = ""] }) => {
      const major = /^node:(\d+)/.exec(image)?.[1];
      if (major === undefined) return [`${image} is no image of Node`];
      return world.runsOnNode(Number(major)) ? [] : [`${image} is too old for the product`];
    });
}

function wrongPorts(instructions: readonly DockerInstruction[], { defaultPort }: ContainerWorld): readonly string[] {
  const set = environmentOf(instructions)["QUARRY_PORT"];
  const port = set === undefined ? defaultPort : Number(set);
  const exposed = instructions.filter(({ name }) => name === "EXPOSE").flatMap(({ words }) => words.map(Number));
  return exposed.length === 1 && exposed[0] === port ? [] : [`exposes ${exposed.join(", ")}, listens on ${port}`];
}

function wrongHealthCheck(instructions: readonly DockerInstruction[], world: ContainerWorld): readonly string[] {
  const text = instructions.find(({ name }) => name === "HEALTHCHECK")?.words.join(" ");
  if (text === undefined) return ["has no health check"];
  const [, port, place = ""] = /http:\/\/127\.0\.0\.1:(\d+)(\/[\w/-]*)/.exec(text) ?? [];
  return [
    ...(Number(port) === world.defaultPort ? [] : [`checks the health of port ${String(port)}`]),
    ...(world.openPaths.has(place) ? [] : [`checks its health at ${place}, which does not answer without a key`]),
  ];
}

function wrongProgram(instructions: readonly DockerInstruction[], world: ContainerWorld): readonly string[] {
  const program = instructions.findLast(({ name }) => name === "CMD")?.words ?? [];
  const file = program[0] === "node" ? program[1] : undefined;
  if (file === undefined) return [`starts "${program.join(" ")}", not a file of ours`];
  return world.built.has(file) || world.inContext(file) ? [] : [`starts ${file}, which the build does not make`];
}

function wrongDataDirectory(instructions: readonly DockerInstruction[]): readonly string[] {
  const directory = environmentOf(instructions)["QUARRY_DATA_DIR"];
  const volumes = instructions.filter(({ name }) => name === "VOLUME").flatMap(({ words }) => words);
  return directory !== undefined && volumes.includes(directory)
    ? []
    : [`the data directory ${String(directory)} is no volume`];
}

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      build: z.string().optional(),
      image: z.string().optional(),
      ports: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.coerce.string()).default({}),
      volumes: z.array(z.string()).default([]),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
      healthcheck: z.object({ test: z.array(z.string()) }).optional(),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()).default({}),
});
type Compose = z.output<typeof composeSchema>;

/** Faults of a compose file, read beside its Dockerfile. */
export function checkCompose(text: string, dockerfile: string, world: ContainerWorld): readonly string[] {
  const compose = composeSchema.parse(parse(text));
  const environment = environmentOf(parseDockerfile(dockerfile));
  return Object.entries(compose.services)
    .flatMap(([name, service]) =>
      [
        ...wrongReferences(compose, service),
        ...(service.build === undefined ? [] : wrongBuild(compose, service, environment, world)),
        ...(service.build === undefined && service.image === undefined ? ["has neither build nor image"] : []),
      ].map((fault) => `${name}: ${fault}`),
    )
    .map((fault) => `compose.yaml: ${fault}`);
}

type Service = Compose["services"][string];

function wrongReferences(compose: Compose, service: Service): readonly string[] {
  const named = service.volumes.map((volume) => volume.split(":")[0] ?? "").filter((volume) => !/^[./~]/.test(volume));
  return [
    ...named.filter((volume) => !(volume in compose.volumes)).map((volume) => `there is no volume ${volume}`),
    ...Object.entries(service.depends_on).flatMap(([other, { condition }]) => {
      if (!(other in compose.services)) return [`there is no service ${other}`];
      const waitsForHealth = condition === "service_healthy";
      return waitsForHealth && compose.services[other]?.healthcheck === undefined
        ? [`${other} has no health check`]
        : [];
    }),
  ];
}

function wrongBuild(
  compose: Compose,
  service: Service,
  image: Readonly<Record<string, string>>,
  world: ContainerWorld,
): readonly string[] {
  const port = Number(service.environment["QUARRY_PORT"] ?? image["QUARRY_PORT"] ?? world.defaultPort);
  const inside = service.ports.map((mapping) => Number(mapping.split(":").at(-1)));
  const dataDirectory = service.environment["QUARRY_DATA_DIR"] ?? image["QUARRY_DATA_DIR"] ?? "";
  const mounts = service.volumes.map((volume) => volume.split(":")[1]);
  return [
    ...(world.inContext(path.posix.join(service.build ?? "", "Dockerfile"))
      ? []
      : [`no Dockerfile in ${String(service.build)}`]),
    ...(inside.length === 1 && inside[0] === port
      ? []
      : [`maps to port ${inside.join(", ")}, the server listens on ${port}`]),
    ...(mounts.includes(dataDirectory) ? [] : [`the data directory ${dataDirectory} is not mounted`]),
    ...world.faultsOfVariables(quarryVariables({ ...image, ...service.environment })),
    ...wrongDatabase(compose, service),
  ];
}

/** The database address must name a service, and the user, password and database it was made with. */
function wrongDatabase(compose: Compose, service: Service): readonly string[] {
  const address = service.environment["QUARRY_DATABASE_URL"];
  if (address === undefined) return [];
  const url = new URL(address);
  const database = compose.services[url.hostname];
  if (database === undefined) return [`QUARRY_DATABASE_URL names ${url.hostname}, which is no service`];
  if (!(url.hostname in service.depends_on)) return [`does not wait for ${url.hostname}`];
  const given = [url.username, url.password, url.pathname.slice(1)];
  const made = ["POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB"].map((name) => database.environment[name]);
  return given.every((part, index) => part === made[index]) ? [] : ["QUARRY_DATABASE_URL does not match its database"];
}

function quarryVariables(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith("QUARRY_")));
}
