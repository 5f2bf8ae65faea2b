// An upgrade of the soak, made to be killed: `node migrate-program.mjs '{"address":…,"directory":…}'`.
import { migrate, openDatabase, type DatabaseAddress } from "@quarry/store";

interface MigrateSettings {
  readonly address: DatabaseAddress;
  readonly directory: string;
}

const { address, directory } = JSON.parse(process.argv[2] ?? "{}") as MigrateSettings;
const database = await openDatabase({ address, maxConnections: 1 });
process.stdout.write("migrates\n");
await migrate(database, directory);
await database.close();
