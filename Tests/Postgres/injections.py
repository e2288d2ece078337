"""SQL that injects faults into a database: slow work, refused transactions, lost sessions."""

from Shared.places import Database

# Has transactions take their time, at once and at COMMIT, so that they can be met at work.
SLOWNESS = """
    CREATE SCHEMA slowness;
    CREATE FUNCTION slowness.wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_sleep(random() * {seconds});
      RETURN NEW;
    END $$;
    CREATE TRIGGER wait BEFORE INSERT ON rewards.chunk FOR EACH ROW EXECUTE FUNCTION slowness.wait();
    CREATE CONSTRAINT TRIGGER wait_late AFTER INSERT ON rewards.chunk DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slowness.wait();
    CREATE CONSTRAINT TRIGGER wait_late AFTER UPDATE ON rewards.shard DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION slowness.wait();
    """
# Has transactions fail that should be sent again, at once or at COMMIT.
STORM = """
    CREATE SCHEMA storm;
    CREATE TABLE storm.force (at_once float8, at_commit float8);
    INSERT INTO storm.force VALUES (0, 0);
    CREATE FUNCTION storm.strike() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF random() < (SELECT CASE TG_ARGV[0] WHEN 'at once' THEN at_once ELSE at_commit END FROM storm.force) THEN
        IF random() < 0.5 THEN
          RAISE EXCEPTION 'could not serialize access due to a storm' USING ERRCODE = '40001';
        END IF;
        RAISE EXCEPTION 'deadlock detected in a storm' USING ERRCODE = '40P01';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER strike BEFORE UPDATE ON rewards.shard FOR EACH ROW EXECUTE FUNCTION storm.strike('at once');
    CREATE TRIGGER strike BEFORE INSERT ON rewards.chunk FOR EACH ROW EXECUTE FUNCTION storm.strike('at once');
    CREATE TRIGGER strike BEFORE INSERT ON rewards.file FOR EACH ROW EXECUTE FUNCTION storm.strike('at once');
    CREATE TRIGGER strike BEFORE INSERT ON rewards.piece FOR EACH ROW EXECUTE FUNCTION storm.strike('at once');
    CREATE CONSTRAINT TRIGGER strike_late AFTER INSERT ON rewards.chunk DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION storm.strike('at commit');
    CREATE CONSTRAINT TRIGGER strike_late AFTER UPDATE ON rewards.shard DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION storm.strike('at commit');
    """
# Looks for sessions that are at work, every few milliseconds for some seconds; returns how many it has hit.
HUNT = """
    DO $$
    DECLARE
      hit int := 0;
      target int;
    BEGIN
      FOR look IN 1..300 LOOP
        PERFORM pg_stat_clear_snapshot();
        FOR target IN SELECT pid FROM pg_stat_activity
          WHERE datname = '{name}' AND usename = 'rewards' AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND (state <> 'idle' OR random() < 0.01)
        LOOP
          IF random() < 0.06 THEN
            hit := hit + 1;
            IF random() < 0.5 THEN PERFORM pg_cancel_backend(target); ELSE PERFORM pg_terminate_backend(target); END IF;
          END IF;
        END LOOP;
        PERFORM pg_sleep(0.005);
      END LOOP;
      UPDATE hunt.hits SET count = count + hit;
    END $$;
    """


def slow_down(place: Database, seconds: float) -> None:
    """Has each append take up to so many seconds before COMMIT, and twice so many at COMMIT."""
    place.ask(SLOWNESS.format(seconds=seconds))
