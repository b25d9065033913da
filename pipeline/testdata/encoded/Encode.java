import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.*;
import java.util.*;
import java.util.zip.*;
import org.apache.avro.Schema;
import org.apache.avro.generic.*;
import org.apache.avro.io.*;

/** Encodes the events of a directory by Avro for Java: see encode.py. */
public class Encode {
    public static void main(String[] args) throws IOException {
        Schema schema = new Schema.Parser().parse(new File(args.length > 1 ? args[1] : "event.avsc"));
        DatumWriter<Object> writer = new GenericDatumWriter<>(schema);
        ObjectMapper json = new ObjectMapper();
        InputStream from = new GZIPInputStream(new FileInputStream(args[0] + "/events.gz"));
        OutputStream to = new GZIPOutputStream(new FileOutputStream(args[0] + "/avro.java.gz"));
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(from)); DataOutputStream out = new DataOutputStream(to)) {
            while (true) {
                int length;
                try {
                    length = in.readInt();
                } catch (EOFException end) {
                    return;
                }
                ByteArrayOutputStream value = new ByteArrayOutputStream();
                value.write(new byte[] {0, 0, 0, 0, 1});
                BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(value, null);
                writer.write(datum(schema, json.readTree(in.readNBytes(length))), encoder);
                encoder.flush();
                out.writeInt(value.size());
                value.writeTo(out);
            }
        }
    }

    static Object datum(Schema s, JsonNode n) {
        switch (s.getType()) {
            case UNION:
                return n == null ? null : datum(s.getTypes().get(1), n);
            case RECORD:
                GenericRecord record = new GenericData.Record(s);
                for (Schema.Field f : s.getFields()) {
                    record.put(f.pos(), datum(f.schema(), n.get(f.name())));
                }
                return record;
            case MAP:
                Map<String, Object> map = new LinkedHashMap<>();
                n.fields().forEachRemaining(e -> map.put(e.getKey(), datum(s.getValueType(), e.getValue())));
                return map;
            case ARRAY:
                List<Object> list = new ArrayList<>();
                n.forEach(e -> list.add(datum(s.getElementType(), e)));
                return list;
            case ENUM:
                return new GenericData.EnumSymbol(s, n.asText());
            case LONG:
                return n.longValue();
            case DOUBLE:
                return n.doubleValue();
            case BOOLEAN:
                return n.booleanValue();
            default:
                return n.textValue();
        }
    }
}
